"""Run one Go command so that it can be watched, and so that it never outlives us.

Go's compilers are grandchildren: on an interrupt the whole process group is ended, and a parent-death signal ends
`go` itself if muster is killed outright. Its scratch files go into the caller's working folder and die with it.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from harness.box.parent import die_with_parent

_TICK = 0.5  # seconds between calls of on_tick while Go is silent, as it is when it links
_GRACE = 3.0  # seconds Go gets to clean up after an interrupt

OnLine = Callable[[str], None]
OnTick = Callable[[], None]


def nothing() -> None:
    """For callers that have nothing to do while Go is silent."""


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    on_line: OnLine,
    on_tick: OnTick = nothing,
) -> tuple[int, str, str]:
    """Run to the end; returns exit code, stdout and stderr. `on_line` gets each line of stderr as it comes."""
    with (cwd / ".stdout").open("w+b") as stdout:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
        lines: queue.Queue[str | None] = queue.Queue()
        reader = threading.Thread(target=_read, args=(process, lines), daemon=True)
        reader.start()
        seen: list[str] = []
        try:
            while True:
                try:
                    line = lines.get(timeout=_TICK)
                except queue.Empty:
                    on_tick()
                    continue
                if line is None:
                    break
                seen.append(line)
                on_line(line.rstrip("\n"))
            code = process.wait()
        except BaseException:
            _end(process)
            raise
        stdout.seek(0)
        return code, stdout.read().decode(errors="replace"), "".join(seen)


def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        lines.put(line)
    lines.put(None)


def _end(process: subprocess.Popen[str]) -> None:
    """Interrupt the group, and kill what is left of it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
