"""A scheduler that crashes is back, as in a cluster; one that a case killed stays dead."""

import os
import signal

import pytest

from harness.box.base import Command
from harness.cases.world import World
from harness.core.gang import Gang
from harness.core.oracle.judge import judge_case
from harness.core.verdict import Outcome
from harness.testbed import supervisor
from harness.testbed.supervisor import Supervisor
from harness.testbed.testbed import Testbed


def test_a_crashed_scheduler_is_back_and_the_crash_is_in_the_history(testbed: Testbed):
    world = World(testbed, "crash")
    world.nodes(1, gpus=2)
    name = testbed.installed.schedulers[0]
    os.killpg(testbed.box.processes[name].pid, signal.SIGSEGV)

    gang = world.submit(Gang("after", size=2))

    assert gang.is_bound_whole("reconnected")
    crashes = [record for record in world.context.history().records if record.verb == "crash"]
    endings = [(record.name, record.state["ending"]) for record in crashes]
    assert endings in ([(name, "exit code 2")], [(name, "ended by SIGSEGV")])  # Go catches it, or dies of it at once
    verdicts = {verdict.check: verdict.outcome for verdict in judge_case(world.context.history())}
    assert verdicts["crash"] is Outcome.VIOLATED
    testbed.reset()


def test_a_killed_scheduler_stays_dead(testbed: Testbed):
    world = World(testbed, "killed")
    world.nodes(1, gpus=2)
    world.faults.kill("scheduler")

    gang = world.submit(Gang("nobody", size=2))

    assert not world.context.recorder.wait(lambda: gang.bound > 0, 1.0)
    assert not testbed.box.processes[testbed.installed.schedulers[0]].alive
    testbed.reset()


class Program:
    """A process that crashes when it is told to, and keeps what was written about it."""

    name, ending, crashed = "program", "exit code 2", False
    command = Command("program", ())

    def __init__(self) -> None:
        self.notes: list[str] = []

    def start(self) -> None:
        self.crashed = False

    def act(self, verb: str, name: str, *, role: str, ending: str, back_in: float) -> None:
        self.notes.append(f"{verb} of {name}, {ending}, back in {back_in:.0f} s")


def test_a_crash_after_somebody_else_started_it_is_a_crash_of_its_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(supervisor, "BACKOFF", (0.0, 600.0))
    program = Program()
    watching = Supervisor([program], program)  # type: ignore[list-item, arg-type]
    watching.stop()
    for _ in range(2):
        program.crashed = True
        watching.look()
    assert program.crashed, "the second time it has to wait"

    program.start()  # as between two cases
    watching.look()
    program.crashed = True
    watching.look()

    assert program.crashed
    assert len(program.notes) == 3
