"""Handles on processes of this machine that belong to a box.

Each is a real process in a process group of its own with its output in a file. It can be killed, paused, resumed and
restarted at any moment, and all that it has started with it; the box's keeper (see `keeper.py`) owns it and tells us
when it exits.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

import psutil

from harness.box.base import Command, Probe
from harness.box.link import KeeperLink
from harness.core.errors import HarnessError, ProcessError
from harness.core.waiting import until

STOP_TIMEOUT = 10.0  # seconds until a process that was sent SIGSTOP does not run any more; a millisecond is usual
POLL = 0.02  # seconds between two looks at a health endpoint; each look costs about a millisecond of one core


class HostProcess:
    """A process of this machine that belongs to a box; see `harness.box.base.Process`."""

    restarts = 0  # no kubelet looks after it: what crashes is started again by a supervisor
    stays_down = True

    def __init__(self, keeper_link: KeeperLink, command: Command, log: Path, probe: Probe | None) -> None:
        self.command = command
        self._original = command
        self.log = log
        self.pid = 0
        self.paused = False
        self._keeper = keeper_link
        self._probe = probe
        self._log_start = 0  # size of the log when it was last started
        self._should_run = False  # it was started, and muster did not end it
        self._starting = threading.Lock()
        self._pausing = threading.Lock()

    @property
    def name(self) -> str:
        return self.command.name

    @property
    def exit_code(self) -> int | None:
        """How it ended, a signal as a negative number; None while it runs and before it was started."""
        return self._keeper.exit_code(self.pid)

    @property
    def alive(self) -> bool:
        return self.pid > 0 and self.exit_code is None

    @property
    def crashed(self) -> bool:
        """Whether it has ended by itself."""
        return self._should_run and self.exit_code is not None

    def start(self) -> None:
        """Start it; `wait_ready` says when it can be used."""
        with self._starting:
            if self.alive:
                return
            self.paused = False
            self._log_start = self.log.stat().st_size if self.log.exists() else 0
            self.pid = self._keeper.start(self.command, self.log)
            self._should_run = True

    def adopt(self, pid: int) -> None:
        """It runs already: another process has started it."""
        self.pid, self._should_run = pid, True

    def kill(self) -> None:
        """End it at once, as a crash would, and wait until it is gone."""
        self._should_run = False
        self._signal(signal.SIGKILL)
        self._keeper.wait_exit(self.name, self.pid)

    def end(self, timeout: float = 20.0) -> None:
        """Ask it to finish its work, and wait until it has."""
        self._should_run = False
        self._signal(signal.SIGTERM)
        self._keeper.wait_exit(self.name, self.pid, timeout)

    def pause(self) -> None:
        """Stop it from running, as a long garbage collection or a lost machine would; in effect on return."""
        with self._pausing:
            self._signal(signal.SIGSTOP)
            self.paused = True
        until_stopped(psutil.Process(self.pid))
        for process in self._offspring():  # those with a session of their own are not in the group
            with contextlib.suppress(psutil.NoSuchProcess):
                process.suspend()
                until_stopped(process)

    def resume(self) -> None:
        for process in self._offspring():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.resume()
        self._signal(signal.SIGCONT)
        self.paused = False

    def stop_briefly(self, seconds: float) -> None:
        """Pause it for a moment, unless a case paused it for longer or ended it."""
        with self._pausing:
            if not self.alive or self.paused:
                return
            group = self.pid
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGSTOP)
                time.sleep(seconds)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGCONT)

    def restart(self, timeout: float = 60.0) -> None:
        """Kill it if it runs, start it again and wait until it is ready."""
        if self.alive:
            self.kill()
        self.start()
        self.wait_ready(timeout)

    def restore(self) -> None:
        """Undo a change of its command: have it run with the one that it was made with."""
        if self.command != self._original:
            self.command = self._original
            self.restart()

    def is_ready(self) -> bool:
        """Whether its health endpoint says so right now; ProcessError if it has died."""
        if self.exit_code is not None:
            raise ProcessError(self._died(), hint=f"its whole log: {self.log}")
        return self._probe is None or self._probe()

    def wait_ready(self, timeout: float) -> None:
        """Return once it is ready; a process that dies meanwhile fails at once with its last words."""

        def failure() -> ProcessError:
            reason = f"{self.name} was not ready within {timeout:.0f} s; its last lines:\n{self.tail()}"
            return ProcessError(reason, hint=f"its whole log: {self.log}")

        until(self.is_ready, timeout, f"{self.name} is ready", poll=POLL, failure=failure)

    def has_logged(self, text: str) -> bool:
        """Whether it has written this since it was last started: how programs without a health endpoint are asked."""
        if not self.log.exists():
            return False
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            return text.encode() in log.read()

    def tail(self, lines: int = 12) -> str:
        """The last lines of its log."""
        try:
            text = self.log.read_text(errors="replace")
        except OSError:
            return "(no log)"
        return "\n".join(f"  {line}" for line in text.splitlines()[-lines:]) or "  (it wrote nothing)"

    def _offspring(self) -> list[psutil.Process]:
        """What it has started and what that has started: all that its warden holds but itself."""
        warden = psutil.Process(self.pid).parent()
        held = warden.children(recursive=True) if warden is not None else []
        return [process for process in held if process.pid != self.pid]

    def _signal(self, number: signal.Signals) -> None:
        if not self.alive:
            raise HarnessError(f"{self.name} is not running, so it cannot be sent {number.name}")
        os.killpg(self.pid, number)

    @property
    def ending(self) -> str:
        """How it ended."""
        code = self.exit_code or 0
        return f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def _died(self) -> str:
        return f"{self.name} has died ({self.ending}); its last lines:\n{self.tail()}"


def until_stopped(process: psutil.Process) -> None:
    """Return once it does not run any more."""
    ends = (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE)
    until(lambda: process.status() in ends, STOP_TIMEOUT, f"process {process.pid} is stopped", poll=0.001)
