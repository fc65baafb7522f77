"""Schedulers in somebody's cluster have the verdicts that they have in a box of muster's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import EmbeddedBox
from harness.box.existing import removal
from harness.cli.cluster import queue_kinds
from tests import gate
from tests.existing.somebody import (
    ROOT,
    cases,
    differences,
    everything_of_others,
    follow_pods,
    muster,
    outcomes,
    reasons,
    results,
    somebodys_cluster,
)

FEW = ("gang-that-fits-is-bound-whole", "gang-without-room-binds-nothing", "one-of-two-gangs-wins-whole")
QUEUED = ("gang-within-the-limit-of-its-queue-is-bound-whole", "gang-over-the-limit-of-its-queue-waits-whole")
KILLED = "scheduler-killed-while-a-gang-waits"
IMPOSSIBLE = {
    "gang-of-higher-priority-goes-first": "needs the scheduler to stay away",
    "scheduler-paused-between-first-and-last-bind": "can be deleted, not paused",
    "api-server-restarted-while-a-gang-waits": "it is not muster's own",
}


def as_in_a_box(box: EmbeddedBox, integration: str, folder: Path, *options: str) -> None:
    """Run it, hold it against the verdicts of ci/expected, and see that others have what they had."""
    before = everything_of_others(box.api)
    done = muster(
        "run",
        "--integration",
        integration,
        *options,
        "--yes",
        "--expected",
        str(ROOT / "ci" / "expected"),
        "--output",
        str(folder),
        kubeconfig=box.kubeconfig,
        context=box.name,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert results(folder)["implementations"][0]["cluster"]["foreign_changes"] == []
    assert removal.leftovers(box.api, kinds=queue_kinds()) == []
    assert differences(before, everything_of_others(box.api)) == []


def test_volcano_is_judged_as_it_is_installed(somebody: EmbeddedBox, tmp_path: Path) -> None:
    as_in_a_box(somebody, "volcano@1.14.1", tmp_path, *cases(*FEW, QUEUED[0]))

    (implementation,) = results(tmp_path)["implementations"]
    scheduler = next(row for row in implementation["artifacts"] if row["process"] == "scheduler")
    assert implementation["version"] == scheduler["version"] == "1.14.1"
    assert scheduler["sha256"] == "0a" * 32
    assert implementation["cluster"]["definitions"]["podgroups.scheduling.volcano.sh"] == "v1beta1"
    assert "--disrupt queues allows it" in reasons(tmp_path)[QUEUED[0]]


@pytest.mark.thorough
def test_what_the_user_allows_is_disturbed_and_no_more(somebody: EmbeddedBox, tmp_path: Path) -> None:
    options = (*cases(*QUEUED, KILLED, *IMPOSSIBLE), "--disrupt", "scheduler,queues")

    with follow_pods(somebody.api, "volcano-system", "volcano-scheduler", somebody.processes["vc-scheduler"]):
        done = muster(
            *("run", "--integration", "volcano", *options, "--yes", "--output", str(tmp_path)),
            kubeconfig=somebody.kubeconfig,
            context=somebody.name,
        )

    assert done.returncode == 0, done.stdout + done.stderr
    assert {outcomes(tmp_path)[case] for case in (*QUEUED, KILLED)} == {"pass"}
    for case, reason in IMPOSSIBLE.items():
        assert reason in reasons(tmp_path)[case]
    assert removal.leftovers(somebody.api, kinds=queue_kinds()) == []
    changes = results(tmp_path)["implementations"][0]["cluster"]["foreign_changes"]
    assert len(changes) == 2 and all("Pod volcano-system/volcano-scheduler-" in change for change in changes)


@pytest.mark.conformance
@pytest.mark.parametrize("integration", ["workload@1.37.1", "volcano@1.14.1"])
def test_core_profile_is_as_in_a_box(somebody: EmbeddedBox, integration: str, tmp_path: Path) -> None:
    as_in_a_box(somebody, integration, tmp_path, "--profile", "GANG-CORE")


@pytest.fixture(scope="module")
def with_coscheduling() -> Iterator[EmbeddedBox]:
    with somebodys_cluster("coscheduling") as box:
        yield box


@pytest.mark.parametrize("profile", [pytest.param("GANG-CORE", marks=gate.marks("coscheduling"))])
def test_coscheduling_is_as_in_a_box(with_coscheduling: EmbeddedBox, profile: str, tmp_path: Path) -> None:
    as_in_a_box(with_coscheduling, "coscheduling@0.34.7", tmp_path, "--profile", profile)
