"""Somebody's cluster: an embedded box that is used as one, with workloads, quotas and priorities of others in it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from harness import EmbeddedBox, Pool
from harness.box.api import Api
from harness.box.existing import foreign, removal
from harness.box.existing.access import read_access
from harness.box.existing.rights import needed, role
from harness.core.kinds import DEPLOYMENT, POD
from harness.core.waiting import until

CASES = ("gang-that-fits-is-bound-whole", "gang-preempts-and-starts-whole")
OTHERS = """
{apiVersion: v1, kind: Namespace, metadata: {name: team}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: team-low}, value: 1}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: team, namespace: team}, spec: {hard: {pods: "50"}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web, namespace: team},
  spec: {minAvailable: 3, selector: {matchLabels: {app: web}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      priorityClassName: team-low
      tolerations: [{operator: Exists}]
      containers: [{name: web, image: "registry.example/web:1.0.0", resources: {requests: {cpu: "1"}}}]
"""


@pytest.fixture(scope="module")
def box() -> Iterator[EmbeddedBox]:
    with EmbeddedBox(nodes=[Pool(2, gpus=8)]) as started:
        for obj in yaml.safe_load_all(OTHERS):
            started.api.create(obj)
        until(lambda: _running(started.api) == 3, 60, "the workload of others runs")
        yield started


def _running(api: Api) -> int:
    return sum((pod.get("status") or {}).get("phase") == "Running" for pod in api.list(POD, "team"))


def muster(*arguments: str, kubeconfig: Path, context: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harness", *arguments, "--kubeconfig", str(kubeconfig), "--context", context]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)


def cases(*names: str) -> list[str]:
    return [word for name in names for word in ("--case", name)]


def test_run_judges_what_is_there_and_leaves_the_rest_as_it_was(box: EmbeddedBox, tmp_path: Path) -> None:
    before = foreign.look(box.api)

    done = muster(
        "run", *cases(*CASES), "--yes", "--output", str(tmp_path), kubeconfig=box.kubeconfig, context=box.name
    )

    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads((tmp_path / "latest" / "results.json").read_text())
    (implementation,) = result["implementations"]
    assert result["box"] == "existing"
    assert implementation["cluster"]["foreign_changes"] == []
    assert implementation["cluster"]["foreign_objects"] == len(before.objects) >= 6
    assert implementation["cluster"]["audit_log"] is False
    assert before.changes(foreign.look(box.api)) == []
    assert removal.leftovers(box.api) == []


def test_case_that_kills_the_scheduler_is_not_asked_for(box: EmbeddedBox, tmp_path: Path) -> None:
    options = [*cases("scheduler-killed-while-a-gang-waits"), "--yes", "--output", str(tmp_path)]
    done = muster("run", *options, kubeconfig=box.kubeconfig, context=box.name)

    assert done.returncode == 0, done.stdout + done.stderr
    (case,) = json.loads((tmp_path / "latest" / "results.json").read_text())["cases"]
    assert case["outcome"] == "not-supported"
    assert "kills, pauses or restarts the scheduler" in case["verdicts"][0]["reason"]
    assert box.processes["kube-scheduler"].alive


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run",), "nobody can be asked"),
        (("run", "--yes", "--integration", "volcano"), "Volcano is not installed in this cluster"),
        (("run", "--yes", "--kubernetes", "1.37"), "has the Kubernetes that it has"),
    ],
)
def test_wrong_input_creates_nothing(
    box: EmbeddedBox, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = muster(*arguments, "--output", str(tmp_path / "runs"), kubeconfig=box.kubeconfig, context=box.name)

    assert done.returncode == 4, done.stdout + done.stderr
    assert message in done.stderr
    assert not (tmp_path / "runs").exists()
    assert removal.leftovers(box.api) == []


def test_cluster_that_does_not_answer_is_told(box: EmbeddedBox, tmp_path: Path) -> None:
    content = yaml.safe_load(box.kubeconfig.read_text())
    content["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:9"
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump(content))

    done = muster("doctor", kubeconfig=path, context=box.name)

    assert done.returncode == 3
    assert "cannot be reached" in done.stderr


def test_dry_run_prints_marked_objects_and_creates_nothing(box: EmbeddedBox) -> None:
    done = muster("run", "--dry-run", kubeconfig=box.kubeconfig, context=box.name)

    objects = [obj for obj in yaml.safe_load_all(done.stdout.partition("\n")[2]) if obj]
    assert done.returncode == 0, done.stderr
    assert {"Namespace", "Node", "PodGroup", "Pod"} <= {obj["kind"] for obj in objects}
    assert all("muster.dev/run" in obj["metadata"]["labels"] for obj in objects)
    assert removal.leftovers(box.api) == []


@pytest.fixture(scope="module")
def limited(box: EmbeddedBox) -> Path:
    """The kubeconfig of a user who has the printed role and nothing else."""
    printed = subprocess.run([sys.executable, "-m", "harness", "cluster", "role"], capture_output=True, text=True)
    box.api.create(yaml.safe_load(printed.stdout))
    _bind(box.api, "muster", "tester")
    return box.identity("tester", ())


def _bind(api: Api, name: str, user: str) -> None:
    api.create(
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": user},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
        }
    )


def test_printed_role_is_enough(box: EmbeddedBox, limited: Path, tmp_path: Path) -> None:
    done = muster("run", *cases(*CASES), "--yes", "--output", str(tmp_path), kubeconfig=limited, context=box.name)

    assert done.returncode == 0, done.stdout + done.stderr


def test_right_that_is_missing_is_named_before_anything_is_created(box: EmbeddedBox, tmp_path: Path) -> None:
    rights = role(needed(()))
    rights["metadata"]["name"] = "nearly"
    lacking = rights["rules"][3]
    lacking["verbs"] = [verb for verb in lacking["verbs"] if verb != "create"]
    box.api.create(rights)
    _bind(box.api, "nearly", "nearly")

    arguments = ("run", *cases(CASES[0]), "--yes", "--output", str(tmp_path / "runs"))
    done = muster(*arguments, kubeconfig=box.identity("nearly", ()), context=box.name)

    assert done.returncode == 4
    assert f"create {lacking['resources'][0]}" in done.stderr
    assert not (tmp_path / "runs").exists()


def kill_a_run(box: EmbeddedBox, folder: Path, seconds: float) -> None:
    """Start a run and kill it, and the pytest that it started, after so many seconds."""
    arguments = ["run", *cases(*CASES), "--yes", "--output", str(folder)]
    command = [sys.executable, "-m", "harness", *arguments, "--kubeconfig", str(box.kubeconfig), "--context", box.name]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds)  # a moment that nobody chose, not a proof of anything
    process.kill()
    process.wait()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 20))])
def test_killed_run_can_be_cleaned_up(box: EmbeddedBox, tmp_path: Path, seed: int) -> None:
    before = foreign.look(box.api)
    deployment = box.api.get(DEPLOYMENT, "team", "web")

    kill_a_run(box, tmp_path, random.Random(seed).uniform(1.5, 9.0))
    done = muster("clean", kubeconfig=box.kubeconfig, context=box.name)

    assert done.returncode == 0, done.stderr
    until(lambda: not removal.leftovers(box.api), 60, "nothing of the run is left")
    assert before.changes(foreign.look(box.api)) == []
    assert box.api.get(DEPLOYMENT, "team", "web")["metadata"]["uid"] == deployment["metadata"]["uid"]


def test_context_of_the_box_is_its_own(box: EmbeddedBox) -> None:
    assert read_access(box.kubeconfig, box.name).server == box.server
