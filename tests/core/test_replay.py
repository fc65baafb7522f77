"""A moment of a history, in words."""

from __future__ import annotations

from harness.core.gang import Gang
from harness.core.oracle.describe import around, describe, ledger
from harness.core.oracle.replay import timeline

from .story import BEGAN, Story

GANG = Gang("a", 3, missing=1)


def test_the_ledger_shows_every_member_at_a_revision() -> None:
    base = Story().node("n1").submit(GANG)
    before = base.rev
    base.bind("a-0").phase("a-0", "Running").watch("Pod", "a-1", nominated="n2")
    after = base.rev
    base.terminating("a-0").gone("a-1")
    history = base.end(9)
    assert [(row.member, row.node, row.state) for row in ledger(history, "ns/a", before)] == [
        ("a-0", "", "pending"),
        ("a-1", "", "pending"),
        ("a-2", "", "absent"),
    ]
    rows = ledger(history, "ns/a", after)
    assert [(row.node, row.state) for row in rows][:2] == [("n1", "running"), ("", "nominated")]
    assert [row.state for row in ledger(history, "ns/a", base.rev)] == ["terminating", "deleted", "absent"]


def test_the_ledger_names_gates_placeholders_and_ends() -> None:
    base = Story().node("n1").submit(Gang("a", 2)).watch("Pod", "a-0", gates=1)
    base.pod("ph", gang="a", part="placeholder").bind("a-1").phase("a-1", "Failed")
    assert {row.member: row.state for row in ledger(base.end(9), "ns/a", base.rev)} == {
        "a-0": "gated",
        "a-1": "failed",
        "ph": "placeholder",
    }


def test_records_are_described_in_one_line() -> None:
    story = Story().node("n1").submit(GANG).bind("a-0").unschedulable("a-1").event("Preempted", "a-0", message="why")
    story.audit("bind", "a-1", code=409, message="no", node="n1").lost("Pod", 5, 9)
    story.act("kill", "sched", role="scheduler")
    lines = [describe(record, BEGAN) for record in story.build().records]
    assert lines[0] == "rev 101 +0.000s Node n1 created"
    assert "rev 104 +0.000s Pod ns/a-0 bound to n1 by gang-scheduler" in lines
    assert any(line.endswith("Pod ns/a-1 condition PodScheduled=False (Unschedulable)") for line in lines)
    assert any(line.endswith("Event Preempted about Pod/ns/a-0: why") for line in lines)
    assert "audit +0.000s bind of Pod ns/a-1 to n1 by gang-scheduler refused with 409: no" in lines
    assert "gap +0.000s watch of Pod lost between revisions 5 and 9" in lines
    assert lines[-1] == "action +0.000s the case: kill ns/sched role=scheduler"


def test_around_shows_what_tells_about_the_gang() -> None:
    base = Story().node("n1").submit(GANG)
    for n in range(40):
        base.pod(f"noise-{n}")
    history = base.bind("a-0").end(9)
    place = next(i for i, record in enumerate(history.records) if record.name == "a-0" and "bound" in record.changed)
    lines = around(history, place, 6, "ns/a")
    assert not any("noise" in line for line in lines)
    assert sum(line.startswith(">") for line in lines) == 1
    assert any("a-1 created" in line for line in lines)
    assert any("noise-39" in line for line in around(history, place, 6))


def test_a_timeline_is_made_once_per_history() -> None:
    history = Story().node("n1").submit(GANG).end(9)
    assert timeline(history) is timeline(history)


def test_time_along_a_timeline_never_goes_back() -> None:
    story = Story().node("n1").submit(GANG).after(5).bind("a-0").after(-3).bind("a-1")
    times = [step.now for step in timeline(story.build()).incarnations["ns/a"][0].steps]
    assert times == sorted(times)
    assert times[-1] == BEGAN + 5


def test_a_pod_keeps_its_last_nomination_from_before_its_bind() -> None:
    story = Story().node("n1").submit(GANG).watch("Pod", "a-0", nominated="n1").watch("Pod", "a-0", nominated="n2")
    story.watch("Pod", "a-0", nominated="").bind("a-0").watch("Pod", "a-0", nominated="n3")
    pods = timeline(story.build()).names
    assert (pods["ns", "a-0"].nominated, pods["ns", "a-1"].nominated) == ("n2", "")


def test_a_container_runs_from_its_start_to_its_exit() -> None:
    story = Story().node("n1").submit(GANG).bind("a-0").watch("Pod", "a-0", running={"init": 5.0})
    pod = timeline(story.build()).names["ns", "a-0"]
    assert pod.runs("init") and pod.has_begun("init") and not pod.has_begun("main")
    story.watch("Pod", "a-0", running={"init": 5.0, "main": 7.0}, exited={"init": 0})
    pod = timeline(story.build()).names["ns", "a-0"]
    assert pod.has_begun("init") and not pod.runs("init") and pod.runs("main")
    story.terminating("a-0")
    assert not timeline(story.build()).names["ns", "a-0"].runs("main")


def test_a_bound_pod_waits_for_its_kubelet_until_it_reports() -> None:
    story = Story().node("n1").submit(GANG).phase("a-0", "Pending")
    assert not timeline(story.build()).names["ns", "a-0"].awaits_kubelet
    story.bind("a-0")
    assert timeline(story.build()).names["ns", "a-0"].awaits_kubelet
    story.phase("a-0", "Running")
    assert not timeline(story.build()).names["ns", "a-0"].awaits_kubelet
