"""The containers that the simulated kubelet runs: the side of the kubelet of the process in `runtime.py`."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

RUNTIME = Path(__file__).with_name("runtime.py")
TAIL = 300  # characters of a log that explain how a container ended


@dataclass(frozen=True, slots=True)
class Launch:
    """What a container runs, and where."""

    argv: list[str]
    env: dict[str, str]
    folder: Path  # private to its pod
    mounts: list[tuple[str, str]]  # folder on the host, mount path
    cwd: str = ""

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def tail(self) -> str:
        """The last words of the container."""
        try:
            return self.log.read_text(errors="replace")[-TAIL:].strip()
        except OSError:
            return ""


class Containers:
    """Starts containers, and knows which of them run and how the others ended."""

    def __init__(self, on_end: Callable[[str], None], *options: str) -> None:
        """`on_end` is called with the id of each container that ended."""
        self._on_end = on_end
        self._launches: dict[str, Launch] = {}
        self._codes: dict[str, int] = {}
        self._lock = threading.Lock()
        argv = [sys.executable, "-I", "-S", str(RUNTIME), *options]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self.private = bool(json.loads(self._process.stdout.readline())["private"])
        threading.Thread(target=self._listen, name="containers", daemon=True).start()

    def __len__(self) -> int:
        with self._lock:
            return len(self._launches) - len(self._codes)

    def __contains__(self, name: str) -> bool:
        with self._lock:
            return name in self._launches

    def run(self, name: str, launch: Launch) -> None:
        with self._lock:
            self._launches[name] = launch
            self._ask(
                op="run",
                id=name,
                argv=launch.argv,
                env=launch.env,
                cwd=launch.cwd,
                folder=str(launch.folder),
                mounts=launch.mounts,
                log=str(launch.log),
            )

    def code(self, name: str) -> int | None:
        """The exit code of a container that ended; None while it runs."""
        with self._lock:
            return self._codes.get(name)

    def tail(self, name: str) -> str:
        with self._lock:
            launch = self._launches[name]
        return launch.tail()

    def remove(self, prefix: str) -> None:
        """Kill the containers whose ids begin so, if they run, and forget them."""
        with self._lock:
            for name in [name for name in self._launches if name.startswith(prefix)]:
                del self._launches[name]
                if self._codes.pop(name, None) is None:
                    self._ask(op="end", id=name)

    def close(self) -> None:
        """Kill all that runs."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)

    def _ask(self, **request: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            with self._lock:
                if answer["id"] not in self._launches:
                    continue  # it was removed
                self._codes[answer["id"]] = answer["code"]
            self._on_end(answer["id"])
        if self._process.stdin is not None and not self._process.stdin.closed:
            log.error("the process that starts containers has ended, and all of them with it")
            os._exit(1)  # the supervisor of the box starts this kubelet again, and it runs them anew
