"""Run one Go command: report its output while it runs, and never leave it running.

Go starts its compilers as child processes. On an interrupt the whole process group is ended, and a parent-death signal
ends `go` itself if muster is killed. Its temporary files are in the working folder of the caller, which removes them.
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

_TICK = 0.5  # seconds between calls of on_tick while Go prints nothing, as when it links
_GRACE = 3.0  # seconds Go gets to clean up after an interrupt

OnLine = Callable[[str], None]
OnTick = Callable[[], None]


def nothing() -> None:
    """An `on_tick` that does nothing."""


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    on_line: OnLine,
    on_tick: OnTick = nothing,
) -> tuple[int, str, str]:
    """Run to the end; returns exit code, stdout and stderr. `on_line` gets each line of stderr as Go prints it."""
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
        try:
            stderr = _follow(process, on_line, on_tick)
            code = process.wait()
        except BaseException:
            _end(process)
            raise
        stdout.seek(0)
        return code, stdout.read().decode(errors="replace"), stderr


def _follow(process: subprocess.Popen[str], on_line: OnLine, on_tick: OnTick) -> str:
    """Everything on stderr until it is closed; `on_tick` is called while Go prints nothing."""
    lines: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=_read, args=(process, lines), daemon=True).start()
    stderr: list[str] = []
    while True:
        try:
            line = lines.get(timeout=_TICK)
        except queue.Empty:
            on_tick()
            continue
        if line is None:
            return "".join(stderr)
        stderr.append(line)
        on_line(line.rstrip("\n"))


def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        lines.put(line)
    lines.put(None)


def _end(process: subprocess.Popen[str]) -> None:
    """Interrupt the process group, and kill what is left of it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
