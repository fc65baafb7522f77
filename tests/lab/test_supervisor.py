"""A scheduler that crashes is back, as in a cluster; one that a case killed stays dead."""

import os
import signal

import pytest

from harness import supervisor
from harness.core.gang import Gang
from harness.lab import Lab
from harness.supervisor import Supervisor
from harness.world import World


def test_a_crashed_scheduler_is_back_and_the_crash_is_in_the_history(lab: Lab):
    world = World(lab, "crash")
    world.nodes(1, gpus=2)
    name = lab.installed.schedulers[0]
    os.killpg(lab.box.processes[name].pid, signal.SIGSEGV)

    gang = world.submit(Gang("after", size=2))

    assert gang.is_bound_whole("reconnected")
    notes = [record.state.get("text", "") for record in world.history().records if record.verb == "note"]
    assert any(f"{name} crashed" in text for text in notes)
    lab.reset()


def test_a_killed_scheduler_stays_dead(lab: Lab):
    world = World(lab, "killed")
    world.nodes(1, gpus=2)
    world.kill("scheduler")

    gang = world.submit(Gang("nobody", size=2))

    assert not world.recorder.wait(lambda: gang.bound > 0, 1.0)
    assert not lab.box.processes[lab.installed.schedulers[0]].alive
    lab.reset()


class Program:
    """A process that crashes when it is told to, and keeps what was written about it."""

    name, ending, crashed = "program", "exit code 2", False

    def __init__(self) -> None:
        self.notes: list[str] = []

    def start(self) -> None:
        self.crashed = False

    def act(self, verb: str, name: str, text: str) -> None:
        self.notes.append(text)


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
