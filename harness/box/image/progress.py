"""Report the progress of building an image, and run programs that print their progress."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from harness.box.artifacts.progress import Event, Progress


@dataclass(slots=True)
class Reporter:
    """Reports progress: every call is one event about this image."""

    version: str
    progress: Progress
    began: float = field(default_factory=time.monotonic)

    def __call__(self, text: str, done: int = 0, stage: str = "image") -> None:
        self.progress(Event("node image", self.version, stage, text, done, 0, time.monotonic() - self.began))


def run_with_output(
    command: Sequence[str], on_line: Callable[[str], None], environment: Mapping[str, str]
) -> tuple[int, list[str]]:
    """Run to the end; returns exit code and output. `on_line` gets each line when the program prints it."""
    lines: list[str] = []
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        env=dict(environment),
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            lines.append(line.rstrip())
            on_line(line.rstrip())
        return process.wait(), lines
    except BaseException:
        process.terminate()
        process.wait()
        raise
