"""A process handle without a process: what it has said since its last start."""

from __future__ import annotations

from pathlib import Path

from harness.box.base import Command
from harness.box.process import HostProcess


class Keeper:
    """Starts nothing; writes what the next program would."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.exits: dict[int, int] = {}

    def start(self, command: Command, log: Path) -> int:
        with log.open("a") as file:
            file.write(self.lines.pop(0) + "\n")
        return 1 + len(self.exits)

    def exit_code(self, pid: int) -> int | None:
        return self.exits.get(pid)


def test_lines_of_an_earlier_process_do_not_count(tmp_path: Path) -> None:
    keeper = Keeper("starting, ready", "starting")
    process = HostProcess(keeper, Command("p", ("p",)), tmp_path / "log", None)  # type: ignore[arg-type]
    assert not process.has_logged("ready")
    process.start()
    assert process.has_logged("ready")
    keeper.exits[1] = 7
    assert process.crashed and process.ending == "exit code 7"
    process.start()
    assert process.alive
    assert process.has_logged("starting") and not process.has_logged("ready")
