"""The timeline of a history, cut to what a screen can show."""

from __future__ import annotations

import json

from harness.core.history.records import History, Record, header
from harness.report.rows import Rows
from harness.report.timeline import MOST_LANES, timeline

from .sample import (
    CASES,
    T0,
    Tape,
    _verdicts,
    deadlocked,
    half_bound,
    large_history,
    placeholders,
    preempted,
    sample_run,
)
from .sample import VIOLATED as BAD


def test_a_half_bound_gang_is_never_at_quorum_and_the_kill_is_a_band() -> None:
    drawn = timeline(half_bound("x"), _verdicts("x", BAD, "law"))
    gangs = {name.split("/")[1]: (size, quorum, whole) for name, size, quorum, _, _, whole in drawn["gangs"]}
    assert gangs["train"] == (8, 8, [])
    assert gangs["serve"][1] == 4 and len(gangs["serve"][2]) == 1
    assert drawn["bands"] == [[1550, 3400, "down", "scheduler killed"]]
    at, revision, gang, text = drawn["bad"]
    assert (at, revision) == (6450, 1093) and drawn["gangs"][gang][0] == "muster-x/train" and "5 of 8" in text
    assert sum(bar[3] == gang for bar in drawn["bars"]) == 5


def test_bars_end_when_pods_end_and_say_how() -> None:
    drawn = timeline(preempted("x"))
    ends = {bar[7]: (bar[5] >= 0, bar[8]) for bar in drawn["bars"]}
    assert ends["low-0"] == (True, "evicted") and ends["urgent-1"] == (True, "deleted")
    assert ends["urgent-0"] == (False, "")
    kinds = [mark[1] for mark in drawn["marks"]]
    assert kinds.count("evicted") == 4 and kinds.count("bind-refused") == 1 and "refused" in kinds
    gone = next(node for node in drawn["nodes"] if node[0] == "gpu-1")
    assert gone[4] and gone[4][-1][2] == "gone"
    assert "1 node held nothing and is not drawn." in drawn["notes"]


def test_placeholders_are_their_own_kind() -> None:
    drawn = timeline(placeholders("x"))
    assert sorted({bar[6] for bar in drawn["bars"]}) == [0, 1]
    assert drawn["gangs"][0][5][0][0] > 1600, "placeholders do not count towards quorum"


def test_two_gangs_that_wait_for_each_other_hold_rows_side_by_side() -> None:
    drawn = timeline(deadlocked("x"))
    assert {(bar[0], bar[1]) for bar in drawn["bars"]} == {(n, r) for n in (0, 1) for r in range(4)}


def test_an_overbooked_node_is_taller_than_its_gpus() -> None:
    tape = Tape().node(0, "n", gpus=1).submit(0.1, "g", 2)
    drawn = timeline(tape.bind(0.2, "g-0", "n").bind(0.3, "g-1", "n").history())
    assert drawn["nodes"][0][1:3] == [1, 2]


def test_rows_are_reused_kept_together_and_split_only_when_they_must() -> None:
    rows = Rows(4)
    assert rows.take("a", 2) == [(0, 2)] and rows.take("b", 1) == [(2, 1)]
    rows.give_back("a")
    assert rows.take("c", 1) == [(0, 1)]
    assert rows.take("d", 2) == [(1, 1), (3, 1)]
    assert rows.take("e", 0) == [(0, 0)] and rows.thin == 1
    assert rows.take("f", 1) == [(4, 1)] and rows.most == 5


def test_what_is_left_out_is_said() -> None:
    drawn = timeline(large_history(sample_run().cases[0], 4000), most_bars=50)
    assert len(drawn["bars"]) == 50
    assert any("of" in note and "pod lifetimes" in note for note in drawn["notes"])


def test_many_nodes_are_capped() -> None:
    tape = Tape()
    for i in range(80):
        tape.node(0, f"n-{i}", gpus=1)
    tape.submit(0.1, "g", 80)
    for i in range(80):
        tape.bind(0.2 + i / 1000, f"g-{i}", f"n-{i}")
    drawn = timeline(tape.history())
    assert len(drawn["nodes"]) == MOST_LANES and f"{MOST_LANES} of 80 busy nodes are drawn." in drawn["notes"]
    assert [node[0] for node in drawn["nodes"][:3]] == ["n-0", "n-1", "n-2"]


def test_a_history_cut_off_a_gap_and_an_empty_one() -> None:
    cut = History(header("x"), half_bound("x").records[:20], complete=False)
    assert any("cut off" in note for note in timeline(cut)["notes"])
    lost = Record(None, T0 + 1, "gap", "lost", "Pod", state={"from": 1, "to": 9})
    assert timeline(History(header("x"), (lost,)))["bands"][0][2] == "gap"
    assert timeline(History(header("x"), ()))["bars"] == []


def test_it_is_small_and_plain_json() -> None:
    drawn = timeline(half_bound(CASES[0][0]), _verdicts("x", BAD, "law"))
    assert len(json.dumps(drawn, separators=(",", ":"))) < 3000
    assert timeline(half_bound(CASES[0][0])) == timeline(half_bound(CASES[0][0]))
