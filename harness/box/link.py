"""muster's end of the socket to a box's keeper: the one that really starts and ends processes.

See `keeper.py` for why a box has one and for the requests it understands.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from harness.box import keeper
from harness.box.base import Command
from harness.box.environment import component_environment
from harness.core.errors import ProcessError


class KeeperLink:
    """muster's end of the socket to its keeper."""

    def __init__(self, directory: Path, taken: tuple[int, int] | None = None) -> None:
        """A new keeper, or one that another process has started: the descriptor of the socket to it, and its pid."""
        self.directory = directory
        self._lock = threading.Lock()
        self._news = threading.Condition()
        self._replies: dict[int, dict[str, Any]] = {}
        self._exits: dict[int, int] = {}
        self._next = 0
        self._closed = False
        self._child: subprocess.Popen[bytes] | None = None
        if taken is not None:
            self._socket, self.pid = socket.socket(fileno=taken[0]), taken[1]
        else:
            self._socket, self._child = self._start()
            self.pid = self._child.pid
        threading.Thread(target=self._listen, name="keeper", daemon=True).start()

    def _start(self) -> tuple[socket.socket, subprocess.Popen[bytes]]:
        ours, theirs = socket.socketpair()
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, str(theirs.fileno()), str(self.directory)],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            env=component_environment(),
        )
        theirs.close()
        return ours, process

    @property
    def descriptor(self) -> int:
        """The socket to the keeper; every process with a copy of it keeps the box alive."""
        return self._socket.fileno()

    def start(self, command: Command, log: Path) -> int:
        """Start a process that writes to this file; its pid, or ProcessError."""
        reply = self._ask(
            op="start",
            name=command.name,
            argv=list(command.argv),
            cwd=str(self.directory),
            log=str(log),
            env={**component_environment(), **command.environment},
        )
        if "error" in reply:
            raise ProcessError(f"cannot start {command.name}: {reply['error']}")
        return int(reply["pid"])

    def exit_code(self, pid: int) -> int | None:
        """How the process ended that was started with this pid; None while it runs."""
        return self._exits.get(pid)

    def wait_exit(self, name: str, pid: int, timeout: float = 10.0) -> None:
        """Return once the keeper has seen the process end."""
        with self._news:
            if not self._news.wait_for(lambda: pid in self._exits, timeout):
                raise ProcessError(f"{name} (pid {pid}) did not end within {timeout:.0f} s")

    def farewell(self, argv: Sequence[str]) -> None:
        """What the keeper runs last of all, also if we are killed; nothing, if it is empty."""
        self._ask(op="farewell", argv=list(argv), env=dict(os.environ))

    def keep(self) -> None:
        """Let the box live on without us."""
        self._ask(op="keep")
        self._close()

    def stop(self) -> None:
        """Kill every process and remove the box's directory."""
        if self._closed:
            return
        with contextlib.suppress(ProcessError):  # if the keeper is gone, so is everything it kept
            self._ask(op="stop")
        self._close()
        with contextlib.suppress(psutil.NoSuchProcess):
            process = self._child or psutil.Process(self.pid)
            try:
                process.wait(timeout=10)
            except (subprocess.TimeoutExpired, psutil.TimeoutExpired):
                process.kill()
                process.wait()

    def _ask(self, **request: Any) -> dict[str, Any]:
        with self._lock:
            self._next += 1
            number = self._next
            try:
                self._socket.sendall(json.dumps({**request, "id": number}).encode() + b"\n")
            except OSError as error:
                raise ProcessError(f"the box's keeper is gone ({error})") from error
        with self._news:
            self._news.wait_for(lambda: number in self._replies or self._closed, 20)
            if number not in self._replies:
                raise ProcessError("the box's keeper is gone; all its processes have ended with it")
            return self._replies.pop(number)

    def _listen(self) -> None:
        with self._socket.makefile("rb") as lines:
            try:
                for line in lines:
                    self._hear(json.loads(line))
            except (OSError, ValueError):
                pass
        with self._news:
            self._closed = True
            self._news.notify_all()

    def _hear(self, message: dict[str, Any]) -> None:
        with self._news:
            if "exit" in message:
                self._exits[int(message["exit"])] = int(message["code"])
            else:
                self._exits.pop(message.get("pid", 0), None)  # of an earlier process: the system uses numbers again
                self._replies[message["id"]] = message
            self._news.notify_all()

    def _close(self) -> None:
        self._closed = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
