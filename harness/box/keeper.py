"""The process that owns a box's processes, so that nothing outlives the muster that started it.

muster talks to its keeper over a socket. When muster dies, even by SIGKILL, the socket closes; the keeper then kills
every component and removes the box's directory. A box that is to stay (`muster up --keep`) gets `keep` and then lives
until its keeper gets SIGTERM.

Every program has a warden: a fork of the keeper that is its parent and the subreaper of all that it starts. Process
groups do not hold what a program starts: a wrapper script that does not exec, or a child with a session of its own,
would stay behind. A descendant whose parent dies becomes a child of the warden, whatever it did. When the program ends,
the warden kills what is left below it, and only then is the end told. When the keeper itself is killed, the kernel
sends its wardens SIGTERM (parent-death signal; reliable here because the keeper has one thread, which a multi-threaded
muster has not), and they do the same; when a warden is killed, the kernel kills its program and the keeper the rest.

Run as a script with `python -I -S` and only the standard library: it must start in milliseconds and stay small.

Requests and replies are JSON lines: {"op": "start", "id", "name", "argv", "env", "cwd", "log"} is answered by
{"id", "pid"} or {"id", "error"}; {"op": "keep", "id"} by {"id"}; {"op": "stop", "id"} by {"id"} once all is dead.
{"op": "farewell", "id", "argv", "env"} names a command that is run last of all, for what is not a child of ours.
An exit is reported without a request: {"exit": pid, "name", "code"} (negative code: the signal).
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
import struct
import sys
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
NUMBER = struct.Struct("i")  # how a warden tells its keeper the pid of the program and later its exit code

libc = ctypes.CDLL(None, use_errno=True)


class Warden:
    """A fork of the keeper that holds one program, as the keeper knows it."""

    def __init__(self, name: str, program: int, pipe: int) -> None:
        self.name = name
        self.program = program  # pid
        self.pipe = pipe  # where the exit code will be read from


class Keeper:
    def __init__(self, control: socket.socket, directory: str) -> None:
        self.control: socket.socket | None = control
        self.directory = directory
        self.wardens: dict[int, Warden] = {}
        self.stays = False
        self.stopping = False
        self.farewell: dict = {}  # type: ignore[type-arg]

    def run(self) -> None:
        """Serve until muster is gone or says stop; then leave nothing behind."""
        os.umask(0o077)  # what a program writes, and the sockets it listens on, are its owner's alone
        prctl(PR_SET_CHILD_SUBREAPER, 1)
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
                    if not self.stays:
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
            self.stays = True
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
        keeper, (reader, writer) = os.getpid(), os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # until the warden has a handler of its own
        pid = os.fork()
        if pid == 0:
            try:
                hold(request, keeper, writer)
            finally:  # a warden must never return into the keeper's loop
                os._exit(0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        os.close(writer)
        program = read_number(reader)
        if program is None:
            os.close(reader)
            raise OSError(11, "its warden could not start it", argv[0])
        self.wardens[pid] = Warden(request["name"], program, reader)
        return program

    def _reap(self) -> None:
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            warden = self.wardens.pop(pid, None)
            code = self._exit_code(warden) if warden else None
            if code is None:  # a warden that was killed, for which the kernel kills the program, or what one has left
                self._kill_orphans()
            if warden is not None:
                code = -signal.SIGKILL if code is None else code
                self._tell({"exit": warden.program, "name": warden.name, "code": code})

    def _exit_code(self, warden: Warden) -> int | None:
        code = read_number(warden.pipe)
        os.close(warden.pipe)
        return code

    def _kill_orphans(self) -> None:
        for pid in children():
            if pid not in self.wardens:
                kill(pid, signal.SIGKILL)

    def _kill_all(self) -> None:
        for pid in self.wardens:
            kill(pid, signal.SIGTERM)
        while self.wardens:
            try:
                pid, _ = os.waitpid(-1, 0)
            except ChildProcessError:
                break
            self.wardens.pop(pid, None)
        end_descendants()

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


class Ended(BaseException):
    """The keeper is gone, or wants this program to end."""


def hold(request: dict, keeper: int, writer: int) -> None:  # type: ignore[type-arg]
    """The life of a warden: start the program, wait for its end, kill what it leaves, and say how it ended."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.closerange(3, writer)
    os.closerange(writer + 1, 256)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    warden = os.getpid()
    program = os.fork()
    if program == 0:
        become(request, warden)
    with contextlib.suppress(OSError):  # whichever of the two comes first; a signal sent next must find the group
        os.setpgid(program, program)
    code = -signal.SIGKILL
    try:
        signal.signal(signal.SIGTERM, raise_ended)
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != keeper:  # it died before the line above, so its signal will never come
            raise Ended
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        os.write(writer, NUMBER.pack(program))
        code = wait_for(program)
    except Ended:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program, signal.SIGKILL)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        end_descendants()
    with contextlib.suppress(OSError):
        os.write(writer, NUMBER.pack(code))


def become(request: dict, warden: int) -> None:  # type: ignore[type-arg]
    """Turn this fork into the program."""
    try:
        os.setpgid(0, 0)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != warden:
            os._exit(127)
        log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.chdir(request["cwd"])
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.closerange(3, 256)
        os.execve(request["argv"][0], request["argv"], request["env"])
    except BaseException as error:
        os.write(2, f"keeper: cannot run {request['argv'][0]}: {error}\n".encode())
    os._exit(127)


def wait_for(program: int) -> int:
    """The exit code of the program; orphans that end before it are reaped on the way."""
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == program:
            return os.waitstatus_to_exitcode(status)


def end_descendants() -> None:
    """Kill children until there are none: those of a killed one become ours, and their turn comes."""
    while True:
        listed = children()
        for pid in listed:
            kill(pid, signal.SIGKILL)
        try:
            pid, _ = os.waitpid(-1, 0 if listed else os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            time.sleep(0.001)


def children() -> list[int]:
    """The pids whose parent is this process; none where there is no /proc."""
    me = os.getpid()
    try:
        with os.scandir("/proc") as entries:
            return [int(entry.name) for entry in entries if entry.name.isdigit() and parent_of(entry.name) == me]
    except FileNotFoundError:
        return []


def parent_of(pid: str) -> int:
    """The pid of its parent; 0 if it is gone."""
    try:
        stat = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except OSError:
        return 0
    try:
        return int(os.read(stat, 4096).rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0
    finally:
        os.close(stat)


def read_number(descriptor: int) -> int | None:
    """The next number of a pipe; None if no more can be written."""
    packed = os.read(descriptor, NUMBER.size)
    return int(NUMBER.unpack(packed)[0]) if len(packed) == NUMBER.size else None


def kill(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def raise_ended(*_: object) -> None:
    raise Ended


def prctl(option: int, value: int) -> None:
    if hasattr(libc, "prctl"):
        libc.prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    Keeper(socket.socket(fileno=int(sys.argv[1])), sys.argv[2]).run()
