"""Somebody's cluster is judged as it is, and left as it was."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from harness import EmbeddedBox
from harness.box.existing import foreign, removal
from harness.box.existing.access import read_access
from tests.existing.somebody import cases, differences, everything_of_others, muster, outcomes, reasons, results

CASES = ("gang-that-fits-is-bound-whole", "gang-preempts-and-starts-whole")
SUSPENDED = "suspended-job-starts-whole-again"  # a Job deletes its members: only the audit log says who did
UNASKED = {
    "scheduler-killed-while-a-gang-waits": "kills, pauses or restarts the scheduler",
    "scheduler-rests-while-a-gang-waits": "no process of the role 'scheduler' of this cluster can be reached",
}


def test_run_judges_what_is_there_and_leaves_the_rest_as_it_was(somebody: EmbeddedBox, tmp_path: Path) -> None:
    before, everything = foreign.look(somebody.api), everything_of_others(somebody.api)

    options = (*cases(*CASES, SUSPENDED, *UNASKED), "--yes")
    done = muster("run", *options, "--output", str(tmp_path), kubeconfig=somebody.kubeconfig, context=somebody.name)

    assert done.returncode == 2, done.stdout + done.stderr
    assert {outcomes(tmp_path)[case] for case in CASES} == {"pass"}
    assert outcomes(tmp_path)[SUSPENDED] == "unknown"
    assert "without an audit log nobody knows by whom" in done.stdout
    result = results(tmp_path)
    (implementation,) = result["implementations"]
    assert result["box"] == "existing"
    assert implementation["cluster"]["foreign_changes"] == []
    assert implementation["cluster"]["foreign_objects"] == len(before.objects) >= 15
    assert implementation["cluster"]["audit_log"] is False
    assert abs(implementation["cluster"]["clock_skew_seconds"]) < 2
    assert differences(everything, everything_of_others(somebody.api)) == []
    assert removal.leftovers(somebody.api) == []
    page = (tmp_path / "latest" / "index.html").read_text()
    assert "Existing cluster." in page and "no audit log" in page
    for case, reason in UNASKED.items():
        assert reason in reasons(tmp_path)[case]
    assert somebody.processes["kube-scheduler"].alive


@pytest.mark.thorough
def test_audit_log_that_is_given_is_used(somebody: EmbeddedBox, tmp_path: Path) -> None:
    options = (*cases(SUSPENDED), "--yes", "--output", str(tmp_path), "--audit-log", str(somebody.audit_log))

    done = muster("run", *options, kubeconfig=somebody.kubeconfig, context=somebody.name)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "with audit log" in (tmp_path / "latest" / "index.html").read_text()


def test_dry_run_prints_marked_objects_and_creates_nothing(somebody: EmbeddedBox) -> None:
    done = muster("run", "--dry-run", kubeconfig=somebody.kubeconfig, context=somebody.name)

    objects = [obj for obj in yaml.safe_load_all(done.stdout.partition("\n")[2]) if obj]
    assert done.returncode == 0, done.stderr
    kinds = {obj["kind"] for obj in objects}
    assert {"Namespace", "Node", "PodGroup", "Pod", "Job"} | {kind.kind for kind in removal.CLUSTER_KINDS} <= kinds
    assert {"PersistentVolumeClaim", "ResourceClaim", "ResourceClaimTemplate"} <= kinds
    assert all("muster.dev/run" in obj["metadata"]["labels"] for obj in objects)
    assert removal.leftovers(somebody.api) == []


def test_doctor_says_what_can_be_judged(somebody: EmbeddedBox) -> None:
    done = muster("doctor", "--json", kubeconfig=somebody.kubeconfig, context=somebody.name)

    assert done.returncode == 0, done.stdout + done.stderr
    observations: dict[str, list[str]] = {}
    for row in json.loads(done.stdout):
        observations.setdefault(row["what"], []).append(row["detail"])
    volcano, native = "\n".join(observations["volcano"]), "\n".join(observations["workload"])
    assert "volcanosh/vc-scheduler:v1.14.1" in volcano
    assert "podgroups.scheduling.volcano.sh v1beta1" in volcano
    assert re.search(r"GANG-QUEUE: \d+ cases cannot run without --disrupt queues", volcano)
    assert "GenericWorkload of kube-apiserver on" in native
    assert re.search(r"GANG-RECOVERY: \d+ cases cannot run without --disrupt scheduler", native)
    assert observations["yunikorn"] == [
        "not installed: no image like yunikorn:scheduler|yunikorn-scheduler is among the workloads of the cluster"
    ]


@pytest.mark.parametrize("text", ["volcano@1.0.0"])
def test_another_version_than_the_one_installed_is_refused(somebody: EmbeddedBox, tmp_path: Path, text: str) -> None:
    done = muster(
        "run",
        "--yes",
        "--integration",
        text,
        "--output",
        str(tmp_path),
        kubeconfig=somebody.kubeconfig,
        context=somebody.name,
    )

    assert done.returncode == 4, done.stdout + done.stderr


def test_context_of_the_box_is_its_own(somebody: EmbeddedBox) -> None:
    assert read_access(somebody.kubeconfig, somebody.name).server == somebody.server
