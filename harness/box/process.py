"""Handles on a box's processes: what a nemesis holds in its hand.

Every component is a real process in a process group of its own with its output in a file. It can be killed, paused,
resumed and restarted at any moment; the box's keeper (see `keeper.py`) is its parent and tells us when it exits.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from harness.box.link import KeeperLink
from harness.core.errors import HarnessError, ProcessError

POLL = 0.02  # seconds between two looks at a health endpoint; each look costs about a millisecond of one core

Probe = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Command:
    """How a process is started."""

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    role: str = ""  # scheduler, controller, apiserver, etcd, nodes, webhook


class Process:
    """One component of a box."""

    restarts = 0  # by a kubelet, which there is none of here: what crashes is started again by a supervisor

    def __init__(self, keeper_link: KeeperLink, command: Command, log: Path, probe: Probe | None) -> None:
        self.command = command
        self.log = log
        self.pid = 0
        self.exit_code: int | None = None
        self.paused = False
        self._keeper = keeper_link
        self._probe = probe
        self._log_start = 0  # size of the log when it was last started
        self._wanted = False  # it should be running: it was started, and nobody here ended it
        self._starting = threading.Lock()

    @property
    def name(self) -> str:
        return self.command.name

    @property
    def alive(self) -> bool:
        return self.pid > 0 and self.exit_code is None

    @property
    def crashed(self) -> bool:
        """Whether it has ended though nobody ended it."""
        return self._wanted and self.exit_code is not None

    def start(self) -> None:
        """Start it; `wait_ready` says when it can be used."""
        with self._starting:
            if self.alive:
                return
            self.exit_code = None
            self.paused = False
            self._log_start = self.log.stat().st_size if self.log.exists() else 0
            self.pid = self._keeper.start(self)
            self._wanted = True

    def kill(self) -> None:
        """End it at once, as a crash would, and wait until it is gone."""
        self._wanted = False
        self._signal(signal.SIGKILL)
        self._keeper.wait_exit(self)

    def end(self, timeout: float = 20.0) -> None:
        """Ask it to finish its work, and wait until it has."""
        self._wanted = False
        self._signal(signal.SIGTERM)
        self._keeper.wait_exit(self, timeout)

    def pause(self) -> None:
        """Stop it from running, as a long garbage collection or a lost machine would; in effect on return."""
        self._signal(signal.SIGSTOP)
        self.paused = True
        process = psutil.Process(self.pid)
        while process.status() not in (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE):
            time.sleep(0.001)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)
        self.paused = False

    def restart(self, timeout: float = 60.0) -> None:
        """Kill it if it runs, start it again and wait until it is ready."""
        if self.alive:
            self.kill()
        self.start()
        self.wait_ready(timeout)

    def is_ready(self) -> bool:
        """Whether its health endpoint says so right now; ProcessError if it has died."""
        if self.exit_code is not None:
            raise ProcessError(self._died(), hint=f"its whole log: {self.log}")
        return self._probe is None or self._probe()

    def wait_ready(self, timeout: float) -> None:
        """Return once it is ready; a process that dies meanwhile fails at once with its last words."""
        deadline = time.monotonic() + timeout
        while not self.is_ready():
            if time.monotonic() > deadline:
                raise ProcessError(
                    f"{self.name} was not ready within {timeout:.0f} s; its last lines:\n{self.tail()}",
                    hint=f"its whole log: {self.log}",
                )
            time.sleep(POLL)

    def said(self, text: str) -> bool:
        """Whether it has written this since it was last started: the readiness of programs that have no other word."""
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
