"""The process that owns a box's processes, so that nothing outlives the muster that started it.

muster talks to its keeper over a socket. When muster dies, even by SIGKILL, the socket closes; the keeper then kills
every component and removes the box's directory. When the keeper itself is killed, the kernel kills its children
(parent-death signal; reliable here because the keeper has one thread, which a multi-threaded muster has not). A box
that is to stay (`muster up --keep`) is told `keep` and then lives until somebody sends the keeper SIGTERM.

Run as a script with `python -I -S` and only the standard library: it must start in milliseconds and stay small.

Requests and replies are JSON lines: {"op": "start", "id", "name", "argv", "env", "cwd", "log"} is answered by
{"id", "pid"} or {"id", "error"}; {"op": "keep", "id"} by {"id"}; {"op": "stop", "id"} by {"id"} once all is dead.
{"op": "farewell", "id", "argv", "env"} names a command that is run last of all, for what is not a child of ours.
An exit is told unasked: {"exit": pid, "name", "code"} (negative code: the signal).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import socket
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


class Keeper:
    def __init__(self, control: socket.socket, directory: str) -> None:
        self.control: socket.socket | None = control
        self.directory = directory
        self.children: dict[int, str] = {}
        self.kept = False
        self.stopping = False
        self.farewell: dict = {}  # type: ignore[type-arg]
        self.libc = ctypes.CDLL(None, use_errno=True)

    def run(self) -> None:
        """Serve until muster is gone or says stop; then leave nothing behind."""
        self._prctl(PR_SET_CHILD_SUBREAPER, 1)
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for stop in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(stop, self._on_stop)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is muster's to handle, in its own order
        buffer = b""
        while not self.stopping:
            waiting: list[int | socket.socket] = [wake_read]
            if self.control is not None:
                waiting.append(self.control)
            ready, _, _ = select.select(waiting, [], [])
            if wake_read in ready:
                os.read(wake_read, 512)
                self._reap()
            if self.control in ready and self.control is not None:
                chunk = self._receive()
                if not chunk:
                    if not self.kept:
                        break
                    self.control = None
                    continue
                buffer += chunk
                *lines, buffer = buffer.split(b"\n")
                for line in lines:
                    self._handle(json.loads(line))
        self._kill_all()
        self._say_farewell()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _receive(self) -> bytes:
        try:
            return self.control.recv(1 << 20) if self.control else b""
        except ConnectionError:
            return b""

    def _handle(self, request: dict) -> None:  # type: ignore[type-arg]
        reply = {"id": request["id"]}
        if request["op"] == "start":
            try:
                reply["pid"] = self._spawn(request)
            except OSError as error:
                reply["error"] = f"{error.strerror}: {error.filename or request['argv'][0]}"
        elif request["op"] == "keep":
            self.kept = True
        elif request["op"] == "farewell":
            self.farewell = request
        elif request["op"] == "stop":
            self.stopping = True
            self._kill_all()
        self._tell(reply)

    def _spawn(self, request: dict) -> int:  # type: ignore[type-arg]
        argv = request["argv"]
        if not os.access(argv[0], os.X_OK):
            raise OSError(13, "not an executable file", argv[0])
        keeper = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                os.setpgid(0, 0)
                self._prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
                if os.getppid() != keeper:  # it died before the line above, so its signal will never come
                    os._exit(127)
                log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                null = os.open(os.devnull, os.O_RDONLY)
                os.dup2(null, 0)
                os.dup2(log, 1)
                os.dup2(log, 2)
                os.chdir(request["cwd"])
                signal.set_wakeup_fd(-1)
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
                    signal.signal(number, signal.SIG_DFL)
                os.closerange(3, 256)
                os.execve(argv[0], argv, request["env"])
            except BaseException as error:  # the child must never return into the keeper's loop
                os.write(2, f"keeper: cannot run {argv[0]}: {error}\n".encode())
            os._exit(127)
        with contextlib.suppress(OSError):  # whichever of the two comes first; a signal sent next must find the group
            os.setpgid(pid, pid)
        self.children[pid] = request["name"]
        return pid

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            name = self.children.pop(pid, None)
            if name is not None:
                self._tell({"exit": pid, "name": name, "code": os.waitstatus_to_exitcode(status)})

    def _kill_all(self) -> None:
        for pid in self.children:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        while self.children:
            try:
                pid, _ = os.waitpid(-1, 0)
            except ChildProcessError:
                return
            self.children.pop(pid, None)

    def _say_farewell(self) -> None:
        argv = self.farewell.get("argv")
        if argv:
            with contextlib.suppress(OSError):
                os.waitpid(os.posix_spawn(argv[0], argv, self.farewell["env"]), 0)

    def _tell(self, message: dict) -> None:  # type: ignore[type-arg]
        if self.control is not None:
            with contextlib.suppress(OSError):
                self.control.sendall(json.dumps(message).encode() + b"\n")

    def _on_stop(self, *_: object) -> None:
        self.stopping = True

    def _prctl(self, option: int, value: int) -> None:
        if hasattr(self.libc, "prctl"):
            self.libc.prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    Keeper(socket.socket(fileno=int(sys.argv[1])), sys.argv[2]).run()
