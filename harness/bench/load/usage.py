"""Processor time and memory of everything that takes part, by role.

The scheduler under test shares the machine with an API server, etcd, KWOK and muster. Told apart, the figures say who
costs what; in sum they would say how busy the machine was. Programs that are no processes of this machine (a cluster
that exists, a kind box) are left out.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping

import psutil

from harness.testbed.testbed import Testbed

EVERY = 0.5  # seconds between two looks at memory
MUSTER = "muster"


class Usage:
    """What was used since it was made; `stop` ends the looking."""

    def __init__(self, testbed: Testbed) -> None:
        self._processes = _processes(testbed)
        self._began = self._seconds()
        self._most = dict.fromkeys(self._processes, 0.0)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="usage", daemon=True)
        self._thread.start()

    def seconds(self) -> dict[str, float]:
        """Processor seconds of each role since the beginning."""
        now = self._seconds()
        return {role: now[role] - self._began.get(role, 0.0) for role in now}

    def memory(self) -> dict[str, float]:
        """The most megabytes that each role was seen to have."""
        return dict(self._most)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def figures(self) -> dict[str, float]:
        """The figures of all roles, and muster's share of the processor time where all of them are seen."""
        seconds = self.seconds()
        total = sum(seconds.values())
        figures = {f"cpu_seconds_{role}": round(value, 2) for role, value in seconds.items()}
        figures |= {f"memory_mb_{role}": round(value, 1) for role, value in self._most.items()}
        if {"apiserver", "scheduler"} <= seconds.keys() and total:  # an existing cluster shows neither
            figures["muster_percent"] = round(100 * seconds[MUSTER] / total, 2)
        return figures

    def _watch(self) -> None:
        while True:
            for role, processes in self._processes.items():
                with contextlib.suppress(psutil.Error):
                    size = sum(process.memory_info().rss for process in processes) / 1e6
                    self._most[role] = max(self._most[role], size)
            if self._stop.wait(EVERY):
                return

    def _seconds(self) -> dict[str, float]:
        seconds: dict[str, float] = {}
        for role, processes in self._processes.items():
            with contextlib.suppress(psutil.Error):
                seconds[role] = sum(sum(process.cpu_times()[:2]) for process in processes)
        return seconds


def _processes(testbed: Testbed) -> Mapping[str, list[psutil.Process]]:
    """The processes of this machine by role; controllers that the integration does not need count as `others`."""
    roles: dict[str, list[psutil.Process]] = {}
    installed = testbed.installed
    for name, process in testbed.box.processes.items():
        role = process.command.role or "others"
        if name in installed.schedulers:
            role = "scheduler"
        elif name in installed.controllers:
            role = "controller"
        elif role in ("scheduler", "controller", "webhook"):
            role = "others"
        if process.pid:
            with contextlib.suppress(psutil.Error):
                roles.setdefault(role, []).append(psutil.Process(process.pid))
    return {**roles, MUSTER: [psutil.Process()]}
