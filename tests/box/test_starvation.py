"""A program that was given no processor is told; one that waits by itself, or for a short moment, is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.box.starvation import Starvation

Stalls = list[tuple[str, float]]


def program(name: str, pid: int, role: str = "scheduler") -> SimpleNamespace:
    return SimpleNamespace(name=name, pid=pid, paused=False, alive=True, command=SimpleNamespace(role=role))


class Machine:
    """The files of a process with two threads, and the time."""

    def __init__(self, proc: Path) -> None:
        self.now = 100.0
        self.proc = proc
        self.process = program("scheduler", 7)
        self.waits = {"7": 0, "8": 0}
        self.ran = 0
        self.stalls: Stalls = []
        self.starvation = Starvation(
            lambda: [self.process],  # type: ignore[list-item]
            lambda stall: self.stalls.append((stall.who, round(stall.until - stall.since, 3))),
            lambda: self.now,
            proc,
            processors=2,
        )
        self.write("S")
        self.starvation.look()

    def write(self, status: str) -> None:
        for thread, wait in self.waits.items():
            folder = self.proc / str(self.process.pid) / "task" / thread
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "schedstat").write_text(f"{self.ran} {wait} 3\n")
        (self.proc / str(self.process.pid) / "stat").write_text(f"{self.process.pid} (a (b) c) {status} 1 1\n")

    def step(self, *waited: float, ran: float = 0.0, status: str = "S", final: bool = False) -> None:
        """0.2 s in which the threads waited for so many seconds each, and ran for others."""
        self.now += 0.2
        self.ran += round(ran * 1e9)
        for thread, seconds in zip(self.waits, waited, strict=False):
            self.waits[thread] += round(seconds * 1e9)
        self.write(status)
        self.starvation.look(final=final)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_thread_that_waited_for_more_than_half_of_the_time_is_told_with_what_was_lost(machine: Machine) -> None:
    for _ in range(3):
        machine.step(0.0, 0.15)
    machine.step()
    assert machine.stalls == [("scheduler", 0.45)]


def test_a_busy_machine_on_which_it_runs_half_of_the_time_is_no_stall(machine: Machine) -> None:
    for _ in range(20):
        machine.step(0.09, 0.09)
    assert machine.stalls == []


def test_a_program_that_uses_most_of_the_processors_is_its_own_load(machine: Machine) -> None:
    for _ in range(10):
        machine.step(0.15, 0.15, ran=0.11)  # by each of its two threads, on two processors
    assert machine.stalls == []


def test_an_api_server_that_the_scheduler_keeps_from_running_is_no_stall(machine: Machine) -> None:
    server = program("kube-apiserver", 9, role="apiserver")
    machine.starvation.processes = lambda: [machine.process, server]  # type: ignore[list-item]
    file = machine.proc / "9" / "task" / "9" / "schedstat"
    file.parent.mkdir(parents=True)
    file.write_text("0 0 3\n")
    for number in range(1, 11):
        file.write_text(f"0 {number * 190_000_000} 3\n")
        machine.step(ran=0.11)  # by each of the scheduler's two threads, on two processors
    assert machine.stalls == []
    file.write_text(f"0 {14 * 190_000_000} 3\n")
    machine.step(ran=0.02)
    machine.step()
    assert machine.stalls == []
    for number in range(15, 18):
        file.write_text(f"0 {number * 190_000_000} 3\n")
        machine.step(ran=0.02)
    machine.step()
    assert machine.stalls == [("kube-apiserver", 0.57)]


def test_a_wait_is_counted_when_it_is_over(machine: Machine) -> None:
    """The kernel adds a wait of 3 s at once, when the thread gets a processor."""
    for _ in range(14):
        machine.step()
    machine.step(3.0)
    machine.step()
    assert machine.stalls == [("scheduler", 3.0)]


def test_a_thread_cannot_have_waited_before_it_was_seen_to_run(machine: Machine) -> None:
    machine.step(0.0, ran=0.01)
    machine.step(3.0)  # what is counted is from before the first look, or the clock of the machine is wrong
    machine.step()
    assert machine.stalls == []


def test_a_short_wait_is_not_told_and_not_kept_for_the_next(machine: Machine) -> None:
    for _ in range(5):
        machine.step(0.2)
        machine.step(0.01)
    assert machine.stalls == []


def test_starvation_that_goes_on_is_told_each_second_once(machine: Machine) -> None:
    for _ in range(12):
        machine.step(0.2)
    assert [round(seconds, 1) for _, seconds in machine.stalls] == [1.0, 1.0]


def test_the_last_look_tells_what_has_begun(machine: Machine) -> None:
    machine.step(0.2)
    machine.step(0.2, final=True)
    assert machine.stalls == [("scheduler", 0.4)]


def test_a_process_that_somebody_stopped_is_told(machine: Machine) -> None:
    machine.step(status="T")
    machine.step(status="T")
    machine.step()
    assert machine.stalls == [("scheduler", 0.4)]


def test_what_the_case_paused_or_killed_is_no_stall_and_a_new_process_begins_anew(machine: Machine) -> None:
    machine.process.paused = True
    for _ in range(5):
        machine.step(0.2, status="T")
    machine.process.paused, machine.process.pid = False, 9
    machine.step(0.2)
    machine.step(0.0)
    assert machine.stalls == []


def test_a_kernel_that_does_not_count_tells_nothing(machine: Machine) -> None:
    for file in machine.proc.glob("*/task/*/schedstat"):
        file.unlink()
    machine.now += 5
    machine.starvation.look(final=True)
    assert machine.stalls == []


@pytest.fixture
def spinning() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Programs that want to run all the time, twice as many as this process may use processors."""
    processors = os.sched_getaffinity(0)
    program = [sys.executable, "-S", "-E", "-c", "while True: pass"]
    processes = [subprocess.Popen(program) for _ in range(3)]
    for process in processes:  # all on one processor: whatever else the machine has, they wait for each other
        os.sched_setaffinity(process.pid, {min(processors)})
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def test_real_processes(spinning: list[subprocess.Popen[bytes]]) -> None:
    def seconds_lost(pid: int) -> float:
        stalls: list[float] = []
        process = program("program", pid)
        starvation = Starvation(
            lambda: [process],  # type: ignore[list-item]
            lambda stall: stalls.append(stall.until - stall.since),
        )
        starvation.look()
        for _ in range(6):
            time.sleep(0.25)  # time in which the processes run or wait
            starvation.look()
        starvation.look(final=True)
        return sum(stalls)

    assert seconds_lost(spinning[0].pid) > 0.5, "it gets a third of one processor"
    idle = subprocess.Popen(["sleep", "60"])
    try:
        assert seconds_lost(idle.pid) == 0.0
        os.kill(idle.pid, signal.SIGSTOP)
        assert seconds_lost(idle.pid) > 1.0
    finally:
        idle.kill()
        idle.wait()
