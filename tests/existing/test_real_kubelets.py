"""Somebody's cluster with real kubelets: containers of cases run on borrowed nodes, which come back as they were.

Needs Docker and a node image, as the tests of the kind box; `ci/kind` runs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.box.api import Api
from harness.box.existing import foreign, removal
from harness.core.gang import OWN_GPU
from harness.core.history import store
from harness.core.kinds import NODE
from tests.box.test_kind_box import pod, why_not
from tests.existing.somebody import cases, muster, outcomes, reasons, results
from tests.existing.test_kills import kill_a_run
from tests.waiting import soon

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")
WORKERS = "kubernetes.io/os=linux"  # the control plane has a taint, and is left out
PLACED = ("gang-that-fits-is-bound-whole", "gang-without-room-binds-nothing", "waiting-gang-is-bound-when-a-node-grows")
IMPOSSIBLE = ("processors-that-run-out-hold-the-gang", "members-of-a-removed-node-come-back-elsewhere")


@pytest.fixture(scope="module")
def kind_box() -> Iterator[Any]:
    from harness.box.kind.box import KindBox

    with KindBox(workers=2, gpus=0, sync="2s", image="own") as box:
        box.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
        box.api.create(pod("team", "web", "sleep 3600"))
        assert soon(lambda: _running(box.api), 120)
        yield box


def _running(api: Api) -> bool:
    return any(entry[2] == "Running" for name, entry in foreign.look(api).objects.items() if name == "Pod team/web")


def context_of(kubeconfig: Path) -> str:
    return str(yaml.safe_load(kubeconfig.read_text())["current-context"])


def furniture(api: Api) -> dict[str, Any]:
    """What people put on nodes, and what they have; kubelets write the rest all the time."""
    return {
        node["metadata"]["name"]: (
            node["metadata"]["labels"],
            node["spec"].get("taints"),
            node["spec"].get("unschedulable"),
            sorted(key for key in node["metadata"].get("annotations") or {} if key.startswith("muster.dev/")),
            node["status"]["capacity"].get(OWN_GPU),
            node["status"]["allocatable"].get(OWN_GPU),
        )
        for node in api.list(NODE)
    }


def test_containers_run_on_borrowed_nodes(kind_box: Any, tmp_path: Path) -> None:
    before, nodes = foreign.look(kind_box.api), furniture(kind_box.api)
    options = ("--yes", "--nodes-selector", WORKERS, "--output", str(tmp_path))

    done = muster(
        *("run", *cases(*PLACED, *IMPOSSIBLE), *options),
        kubeconfig=kind_box.kubeconfig,
        context=context_of(kind_box.kubeconfig),
        timeout=600,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert {outcomes(tmp_path)[case] for case in PLACED} == {"pass"}
    assert set(reasons(tmp_path)) == set(IMPOSSIBLE)
    assert not any(case["simulated"] for case in results(tmp_path)["cases"] if case["outcome"] == "pass")
    (path,) = (tmp_path / "latest").glob(f"history/*/{PLACED[0]}.jsonl.zst")
    started = [record for record in store.read(path).records if "started" in record.changed]
    assert started, "a kubelet has started containers"
    assert before.changes(foreign.look(kind_box.api)) == []
    assert removal.leftovers(kind_box.api) == []
    assert soon(lambda: furniture(kind_box.api) == nodes, 30), furniture(kind_box.api)


def test_killed_run_gives_real_nodes_back(kind_box: Any, tmp_path: Path) -> None:
    nodes, context = furniture(kind_box.api), context_of(kind_box.kubeconfig)

    kill_a_run(kind_box, tmp_path, 12.0, "--nodes-selector", WORKERS, context=context)
    done = muster("clean", kubeconfig=kind_box.kubeconfig, context=context)

    assert done.returncode == 0, done.stderr
    assert removal.leftovers(kind_box.api) == []
    assert soon(lambda: furniture(kind_box.api) == nodes, 30), furniture(kind_box.api)
