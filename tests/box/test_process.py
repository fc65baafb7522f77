"""A process handle without a process: what it has said since its last start."""

from __future__ import annotations

from pathlib import Path

from harness.box.process import Command, Process


class Keeper:
    """Starts nothing; writes what the next program would."""

    def __init__(self, *words: str) -> None:
        self.words = list(words)

    def start(self, process: Process) -> int:
        with process.log.open("a") as log:
            log.write(self.words.pop(0) + "\n")
        return 1


def test_words_of_an_earlier_life_do_not_count(tmp_path: Path) -> None:
    process = Process(Keeper("starting, ready", "starting"), Command("p", ("p",)), tmp_path / "log", None)  # type: ignore[arg-type]
    assert not process.said("ready")
    process.start()
    assert process.said("ready")
    process.exit_code = 1
    process.start()
    assert process.said("starting") and not process.said("ready")
