"""A stall is told by itself, once, and by whom."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

from harness.box.heartbeat import Heartbeat
from harness.box.recorder import Recorder
from harness.core.errors import ApiError
from harness.core.oracle.facts import Stall


class Clock:
    def __init__(self) -> None:
        self.now = 100.0
        self.set_forward = 0.0  # what somebody has added to the time of day

    def __call__(self) -> float:
        return self.now


Stalls = list[tuple[str, float]]


def heartbeat(clock: Clock, probe: object = None) -> tuple[Heartbeat, Stalls]:
    stalls: Stalls = []
    beat = Heartbeat(
        probe or (lambda: None),  # type: ignore[arg-type]
        lambda stall: stalls.append((stall.who, round(stall.until - stall.since, 3))),
        clock,
        lambda: 1e9 + clock.now + clock.set_forward,
    )
    return beat, stalls


def test_a_tick_that_comes_late_is_a_stall_and_a_busy_machine_is_none() -> None:
    clock = Clock()
    beat, stalls = heartbeat(clock)
    for step in (0.2, 0.9, 20.0, 0.2):
        clock.now += step
        beat.look()
    assert stalls == [("muster", 20.0)]


def test_a_clock_that_is_set_forward_is_told_and_small_corrections_are_not() -> None:
    clock = Clock()
    beat, stalls = heartbeat(clock)
    for step, correction in ((0.2, 0.1), (0.2, 3.0), (0.2, -5.0), (0.2, 0.0)):
        clock.now += step
        clock.set_forward += correction
        beat.look()
    assert stalls == [("clock", 3.0)]


def test_an_api_server_that_does_not_answer_is_told_while_it_lasts_and_each_second_once() -> None:
    answered, clock = threading.Event(), Clock()
    beat, stalls = heartbeat(clock, lambda: answered.wait(10))
    thread = threading.Thread(target=beat._ask)
    thread.start()
    for _ in range(25):  # 5 s in ticks of 0.2 s
        clock.now += 0.2
        beat.look()
    beat.stop()
    answered.set()
    thread.join()
    assert {who for who, _ in stalls} == {"apiserver"}
    assert 4.0 < sum(seconds for _, seconds in stalls) <= 5.01


def test_what_this_process_slept_is_not_blamed_on_the_api_server() -> None:
    answered, clock = threading.Event(), Clock()
    beat, stalls = heartbeat(clock, lambda: answered.wait(10))
    thread = threading.Thread(target=beat._ask)
    thread.start()
    clock.now += 20.0
    beat.look()
    beat.stop()
    answered.set()
    thread.join()
    assert stalls == [("muster", 20.0)]


def test_an_api_server_that_is_down_is_a_stall_until_it_answers() -> None:
    clock, answers = Clock(), iter([False, False, True])
    done = threading.Event()

    def probe() -> None:
        clock.now += 2.0
        if not next(answers, True):
            raise ApiError("down", status=0)
        done.set()

    beat, stalls = heartbeat(clock, probe)
    thread = threading.Thread(target=beat._ask)
    thread.start()
    assert done.wait(10)
    beat.stop()
    thread.join()
    assert (
        sum(seconds for who, seconds in stalls if who == "apiserver")
        + sum(seconds for who, seconds in stalls if who == "muster")
        >= 6.0
    )


PROGRAM = """
import time
from harness.box.heartbeat import Heartbeat
beat = Heartbeat(lambda: None, lambda stall: print(stall.who, stall.until - stall.since, flush=True))
beat.start()
print("ready", flush=True)
time.sleep(60)
"""


def test_a_process_that_was_stopped_knows_it() -> None:
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(2.5)
        os.kill(process.pid, signal.SIGCONT)
        who, seconds = process.stdout.readline().split()
        assert who == "muster"
        assert float(seconds) >= 2.3
    finally:
        process.kill()
        process.wait()


class Silent:
    """An API server that nobody asks."""


def test_waiting_does_not_count_the_time_in_which_all_stood_still() -> None:
    recorder = Recorder(Silent())  # type: ignore[arg-type]

    def stall() -> None:
        now = time.time()
        recorder._heartbeat.stalls.append(Stall(now, now + 0.6, "muster"))

    timer = threading.Timer(0.1, stall)
    began = time.monotonic()
    timer.start()
    assert not recorder.wait(lambda: False, 0.3)
    assert 0.85 < time.monotonic() - began < 3
    began = time.monotonic()
    assert not recorder.wait(lambda: False, 0.1), "what was lost before is not added to what begins now"
    assert time.monotonic() - began < 0.8


def test_a_stall_that_is_noticed_only_when_the_time_is_over_is_added_too() -> None:
    """Muster is stopped while it waits: the waiting thread wakes up before the one that would tell."""
    recorder = Recorder(Silent())  # type: ignore[arg-type]
    recorder._heartbeat._last -= 2.0
    recorder.wait(lambda: False, 0.05)
    assert [(stall.who, round(stall.until - stall.since)) for stall in recorder.timeline.stalls] == [("muster", 2)]
