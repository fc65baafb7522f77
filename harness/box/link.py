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
from typing import TYPE_CHECKING, Any

from harness.box import keeper
from harness.core.errors import ProcessError

if TYPE_CHECKING:
    from harness.box.process import Process


class KeeperLink:
    """muster's end of the socket to its keeper."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._lock = threading.Lock()
        self._news = threading.Condition()
        self._replies: dict[int, dict[str, Any]] = {}
        self._exits: dict[int, int] = {}
        self._by_pid: dict[int, Process] = {}
        self._next = 0
        self._closed = False
        ours, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, str(theirs.fileno()), str(directory)],
            pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True, cwd="/",
        )  # fmt: skip
        theirs.close()
        self._socket = ours
        threading.Thread(target=self._listen, name="keeper", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self, process: Process) -> int:
        """Start the process; its pid, or ProcessError."""
        command = process.command
        reply = self._ask(
            op="start", name=command.name, argv=list(command.argv), cwd=str(self.directory), log=str(process.log),
            env={**_inherited(), **command.environment},
        )  # fmt: skip
        if "error" in reply:
            raise ProcessError(f"cannot start {command.name}: {reply['error']}")
        pid = int(reply["pid"])
        with self._news:
            self._by_pid[pid] = process
            if pid in self._exits:  # it died before we had its pid
                process.exit_code = self._exits[pid]
        return pid

    def wait_exit(self, process: Process, timeout: float = 10.0) -> None:
        """Return once the keeper has seen the process end."""
        with self._news:
            if not self._news.wait_for(lambda: process.exit_code is not None, timeout):
                raise ProcessError(f"{process.name} (pid {process.pid}) did not end within {timeout:.0f} s")

    def farewell(self, argv: Sequence[str]) -> None:
        """What the keeper runs last of all, whatever becomes of us; nothing, if it is empty."""
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
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

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
                pid = int(message["exit"])
                self._exits[pid] = int(message["code"])
                if pid in self._by_pid:
                    self._by_pid[pid].exit_code = int(message["code"])
            else:
                self._replies[message["id"]] = message
            self._news.notify_all()

    def _close(self) -> None:
        self._closed = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def _inherited() -> dict[str, str]:
    """The environment a component gets: ours without what would send its traffic elsewhere or name another cluster."""
    unwanted: Sequence[str] = ("KUBECONFIG", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy")
    return {key: value for key, value in os.environ.items() if key not in unwanted}
