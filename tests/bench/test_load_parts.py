"""The parts of a measurement of load that need no cluster."""

from __future__ import annotations

import psutil
import pytest

from harness.bench.load import kep_4671, memory
from harness.bench.load.calls import calls
from harness.bench.load.series import Series
from harness.bench.load.shapes import SHAPES, Load, grown, load_of, plan
from harness.core.errors import UsageError
from harness.core.measure.placement import usable
from harness.core.shard import Shard, parse_shard


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_the_room_that_it_is_about(shape: str) -> None:
    load = load_of(shape, 20, 24, 4)
    load_plan = plan(load)
    wave = load_plan.measured
    demand = sum(gang.size * gang.gpus for gang in wave.gangs) + len(wave.plain)
    room = load_plan.gpus * load.nodes
    assert len({gang.name for gang in wave.gangs}) == len(wave.gangs)
    if shape == "contended":
        assert room <= demand / 2 and not wave.all_start
    elif shape == "drain":
        assert room <= demand / 3 and wave.all_start and all(gang.lifetime for gang in wave.gangs)
    elif shape == "preemption":
        assert load_plan.before is not None
        filled = sum(gang.size for gang in load_plan.before.gangs)
        assert room - filled < load.size and demand <= filled
    else:
        assert demand <= room
    assert usable([load_plan.gpus] * load.nodes, [(g.size, g.gpus) for g in wave.gangs]).gpus <= room


def test_waiting_gangs_fit_no_node() -> None:
    load_plan = plan(load_of("fit", 10, 5, 2, waiting=7))
    assert len(load_plan.waiting) == 7
    assert all(gang.gpus > load_plan.gpus for gang in load_plan.waiting)


def test_a_gang_that_can_never_fit_is_refused() -> None:
    with pytest.raises(UsageError, match="does not fit"):
        plan(load_of("contended", 2, 1, 1000))
    with pytest.raises(UsageError, match="Did you mean 'drain'"):
        load_of("drian", None, None, None)


def test_larger_gangs_make_as_many_pods() -> None:
    load = load_of("fit", 100, 250, 4)
    assert [grown(load, "size", size).demand for size in (2, 10, 1000)] == [1000, 1000, 1000]
    assert grown(load, "nodes", 500).nodes == 500


def test_what_memory_cannot_hold_is_refused_with_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    small = load_of("fit", 100, 10, 4)
    memory.check(small)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("M", (), {"available": 1_000_000_000})())
    with pytest.raises(UsageError, match=r"need about \d+\.\d GB of memory, and this machine has 1\.0 GB free"):
        memory.check(load_of("fit", 5000, 9000, 4))


def test_calls_of_the_integration_are_counted_by_verb() -> None:
    def event(agent: str, verb: str, group: str = "", resource: str = "pods", at: str = "2026-01-01T00:00:02.000000Z"):
        ref = {"apiGroup": group, "resource": resource}
        return {"userAgent": f"{agent}/v1 (x)", "verb": verb, "objectRef": ref, "stageTimestamp": at}

    events = [
        event("kube-scheduler", "create"),
        event("kube-scheduler", "patch"),
        event("kube-scheduler", "patch", at="2026-01-01T00:00:00.000000Z"),
        event("kube-controller-manager", "patch"),
        event("kube-controller-manager", "update", "scheduling.k8s.io", "podgroups"),
        event("muster", "create"),
    ]
    counts = calls(events, {("scheduling.k8s.io", "podgroups")}, since=1767225601.0)
    assert counts == {"create": 1, "patch": 1, "update": 1}


def series(rounds: int = 2, shard: Shard | None = None) -> Series:
    points = tuple(({"nodes": n}, Load("fit", n, 2, 2)) for n in (5, 10))
    return Series("gangs", ("a", "b"), "a", points, rounds, {}, "nodes", shard or Shard())


def test_integrations_take_turns_and_who_is_first_changes() -> None:
    order = [(number, point["nodes"], name) for number, point, _, name in series().samples()]
    assert order == [
        (1, 5, "a"),
        (1, 5, "b"),
        (1, 10, "a"),
        (1, 10, "b"),
        (2, 5, "b"),
        (2, 5, "a"),
        (2, 10, "b"),
        (2, 10, "a"),
    ]


def test_shards_of_a_measurement_are_all_of_it() -> None:
    parts = [series(shard=parse_shard(f"{n}/3")).samples() for n in (1, 2, 3)]
    for part in parts:
        assert len({(number, point["nodes"]) for number, point, _, _ in part}) * 2 == len(part), (
            "integrations stay together"
        )
    assert sorted(str(sample) for part in parts for sample in part) == sorted(map(str, series().samples()))


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/2/3", "1/5000"])
def test_a_shard_is_index_and_count(text: str) -> None:
    with pytest.raises(UsageError, match="expected INDEX/COUNT"):
        parse_shard(text)


def test_the_benchmarks_of_the_kep_are_its_two() -> None:
    points = [point for point, _ in kep_4671.points(10, 5, [0, 1000])]
    assert points == [
        {"workload": "plain"},
        {"workload": "basic"},
        {"workload": "gang"},
        {"workload": "preemption"},
        {"nominated": 0},
        {"nominated": 1000},
    ]
