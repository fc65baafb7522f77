"""The process that starts the commands of simulated containers, reports how they end, and leaves none behind.

It has one thread, so it can fork safely and with parent-death signals, which the kubelet with its many threads cannot.
Where the kernel allows it, a command runs in namespaces of its own (user and mount): it sees the programs of the host
read-only, its volumes at their mount paths, and nothing else of the machine; it is user 65534 and has no capability.
Elsewhere it runs in its folder as the user who runs muster, and its caller has put paths of the folder into it. In both
it has no more than LIMITS, cannot gain privileges, and ends with its process group.

Run as a script with `python -I -S` and only the standard library. Requests and replies are JSON lines on stdin and
stdout: {"op": "run", "id", "argv", "env", "cwd", "folder", "mounts": [[source, path], ...], "log"} is answered by
{"id", "code"} once the command has ended; {"op": "end", "id"} kills it. The first line says {"private": bool}. At the
end of stdin every command is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import tempfile
import warnings as warnings  # os.execvpe imports it, which fails once the root is another one
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC = 1, 2, 4, 32, 4096, 16384
MS_PRIVATE, MS_RELATIME = 1 << 18, 1 << 21
ST_RELATIME = 4096
ST_PRESERVED = 2 | 4 | 8 | 1024 | 2048  # nosuid, nodev, noexec, noatime, nodiratime: the same bits in statvfs and mount

NOBODY = 65534
START_ERROR = 128  # the exit code of a container whose command cannot be started, as containerd has it
PROGRAMS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "nix", "gnu", "etc/alternatives")
FILES = ("dev/null", "dev/zero", "dev/urandom", "etc/ld.so.cache")
SHELLS = ("ash", "bash", "dash")  # if the host does not have it, sh runs what it would have run
LIMITS = {
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_CPU: 120,  # seconds of processor time
    resource.RLIMIT_FSIZE: 1 << 20,
    resource.RLIMIT_AS: 1 << 30,
    resource.RLIMIT_NOFILE: 64,
}

libc = ctypes.CDLL(None, use_errno=True)


class Runtime:
    """The commands that run, by the pid of their first process, which is their process group."""

    def __init__(self, private: bool) -> None:
        self.ids: dict[int, str] = {}
        self.private = private

    def run(self) -> None:
        """Serve until stdin ends."""
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        tell({"private": self.private})
        buffer = b""
        while True:
            ready, _, _ = select.select([0, wake_read], [], [])
            if wake_read in ready:
                os.read(wake_read, 512)
                self.reap()
            if 0 in ready:
                chunk = os.read(0, 1 << 20)
                if not chunk:
                    break
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in lines:
                    self.handle(json.loads(line))
        for pid in self.ids:
            end(pid)

    def handle(self, request: dict) -> None:  # type: ignore[type-arg]
        if request["op"] == "end":
            for pid in [pid for pid, name in self.ids.items() if name == request["id"]]:
                end(pid)
            return
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            try:
                become(request, self.private, parent)
            finally:  # a fork must never return into the loop
                os._exit(START_ERROR)
        with contextlib.suppress(OSError):  # whichever of the two comes first; a signal sent next must find the group
            os.setpgid(pid, pid)
        self.ids[pid] = request["id"]

    def reap(self) -> None:
        """Report commands that ended, after the rest of their process group was killed."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            end(ended.si_pid)  # before its pid is free again
            _, status = os.waitpid(ended.si_pid, 0)
            code = os.waitstatus_to_exitcode(status)
            name = self.ids.pop(ended.si_pid, None)
            if name is not None:
                tell({"id": name, "code": code if code >= 0 else 128 - code})


def become(request: dict, private: bool, parent: int) -> None:  # type: ignore[type-arg]
    """Turn this fork into the command."""
    os.setpgid(0, 0)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        return
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    argv, env = request["argv"], request["env"]
    try:
        if private:
            enter(request["folder"], request["mounts"])
        os.chdir((request["cwd"] or "/") if private else request["folder"])
        for limit, value in LIMITS.items():
            hard = resource.getrlimit(limit)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(limit, (value, value))
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        os.closerange(3, 256)
        try:
            os.execvpe(argv[0], argv, env)
        except FileNotFoundError:
            if Path(argv[0]).name not in SHELLS:
                raise
            os.execvpe("sh", ["sh", *argv[1:]], env)
    except OSError as error:
        os.write(2, f"cannot start {argv[0]}: {error.strerror} {error.filename or ''}\n".encode())


def enter(folder: str, mounts: list) -> None:  # type: ignore[type-arg]
    """Leave for namespaces in which the root has the programs of the host, the volumes and nothing else."""
    user, group, root = os.geteuid(), os.getegid(), Path(folder, "root")
    root.mkdir(parents=True, exist_ok=True)
    check(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{NOBODY} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{NOBODY} {group} 1")
    mount("", Path("/"), "", MS_REC | MS_PRIVATE)
    mount("tmpfs", root, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755")
    (root / "tmp").mkdir()
    for name in PROGRAMS:
        source = Path("/", name)
        if source.is_symlink():
            (root / name).symlink_to(source.readlink())
        elif source.is_dir():
            bind(source, root / name, read_only=True)
    for name in FILES:
        if Path("/", name).exists():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).touch()
            mount(f"/{name}", root / name, "", MS_BIND)
    for folder_of_volume, path in mounts:
        bind(Path(folder_of_volume), root / os.path.normpath(f"/{path}").lstrip("/"))
    os.chroot(root)


def bind(source: Path, target: Path, read_only: bool = False) -> None:
    target.mkdir(parents=True, exist_ok=True)
    mount(str(source), target, "", MS_BIND | MS_REC)
    if read_only:  # flags that the mount had may not be taken away in a user namespace
        flags = os.statvfs(target).f_flag
        flags = (flags & ST_PRESERVED) | (MS_RELATIME if flags & ST_RELATIME else 0)
        mount("", target, "", MS_REMOUNT | MS_BIND | MS_RDONLY | flags)


def mount(source: str, target: Path, kind: str, flags: int, data: str = "") -> None:
    check(libc.mount(source.encode(), bytes(target), kind.encode(), flags, data.encode()), str(target))


def check(result: int, about: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), about)


def has_namespaces() -> bool:
    """Whether the kernel lets this user have namespaces; many distributions and container engines do not."""
    with tempfile.TemporaryDirectory() as folder:
        pid = os.fork()
        if pid == 0:
            try:
                enter(folder, [[folder, "/mnt/probe"]])
                Path("/mnt/probe").stat()
                Path("/bin/sh").stat()
                os._exit(0)
            finally:
                os._exit(1)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def end(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def tell(message: dict) -> None:  # type: ignore[type-arg]
    os.write(1, json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    Runtime(private=sys.argv[1:] != ["--folder-only"] and has_namespaces()).run()
