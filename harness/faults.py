"""What can befall the processes and nodes of a box while a case runs, each in one word.

Every word writes itself into the history first, so that a reader of the verdict knows what the scheduler was up
against, and so that time in which a process was down is not held against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.box.recorder import Recorder
from harness.core.errors import HarnessError
from harness.lab import Lab


class Faults:
    """The words for faults; a part of `World`."""

    lab: Lab
    recorder: Recorder

    def deadline(self, name: str) -> float:
        return self.lab.deadlines[name]

    # -- processes ----------------------------------------------------------------------------------------------------

    def kill(self, role: str) -> None:
        """End every process of a role at once (scheduler, controller, apiserver, etcd)."""
        for process in self._of(role):
            self.recorder.act("kill", process.name, role=role)
            process.kill()

    def pause(self, role: str) -> None:
        for process in self._of(role):
            self.recorder.act("pause", process.name, role=role)
            process.pause()

    def resume(self, role: str) -> None:
        for process in self._of(role):
            process.resume()
            self.recorder.act("resume", process.name, role=role)

    def restart(self, role: str) -> None:
        """Start every process of a role (again) and wait until it is ready."""
        for process in self._of(role):
            self.recorder.act("restart", process.name, role=role)
            process.restart(self.deadline("ready"))
            self.recorder.act("ready", process.name, role=role)

    def _of(self, role: str) -> list[Any]:
        lab = self.lab
        names: Sequence[str] = {"scheduler": lab.installed.schedulers, "controller": lab.installed.controllers}.get(role, ())
        names = names or [name for name, process in lab.box.processes.items() if process.command.role == role]
        if not names:
            raise HarnessError(f"this box has no process of the role {role!r}")
        return [lab.box.processes[name] for name in names]

    # -- nodes --------------------------------------------------------------------------------------------------------

    def cordon(self, *names: str) -> None:
        for name in names:
            self._change(name, "cordon")

    def uncordon(self, *names: str) -> None:
        for name in names:
            self._change(name, "uncordon")

    def lose(self, name: str) -> None:
        """The node falls silent."""
        self._change(name, "lose")

    def recover(self, name: str) -> None:
        self._change(name, "recover")

    def resize(self, name: str, gpus: int) -> None:
        self._change(name, "resize", gpus=gpus)

    def remove_node(self, name: str) -> None:
        self.recorder.act("node-remove", nodes=[name])
        self.lab.box.nodes.remove(name)

    def _change(self, name: str, change: str, **details: Any) -> None:
        self.recorder.act("node-change", nodes=[name], change=change, **details)
        getattr(self.lab.box.nodes, change)(name, **details)
