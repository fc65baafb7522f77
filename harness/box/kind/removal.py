"""Remove a cluster for good, also one that is still being made.

kind makes its nodes with `docker run`, and these go on when kind is killed in the middle. A container that the engine
is just starting survives its removal: the engine says that it is gone, and has it running a moment later. So what
makes the cluster is ended first, what is being started is waited for, and it is removed until nothing of it is left.

As a program (`python -m harness.box.kind.removal CLUSTER`) it is a keeper's farewell.
"""

from __future__ import annotations

import contextlib
import sys
import time

import psutil

from harness.box.kind import docker
from harness.core.errors import HarnessError
from harness.core.waiting import until

PATIENCE = 60.0  # seconds until a removal counts as failed; a busy engine takes ten
STARTING = 5.0  # seconds that a container which was only created has to be started; then it is never started
POLL = 0.1


def remove(cluster: str) -> None:
    """Remove the containers of a cluster with their volumes: all there is of it. HarnessError if some stay."""
    end_makers(cluster)
    began = time.monotonic()

    def is_gone() -> bool:
        states = docker.containers(cluster)
        if states and ("created" not in states.values() or time.monotonic() - began > STARTING):
            docker.remove(list(states))
        return not states

    def failure() -> HarnessError:
        names = ", ".join(sorted(docker.containers(cluster)))
        return HarnessError(f"containers of {cluster} could not be removed: {names}")

    until(is_gone, PATIENCE, f"{cluster} is removed", poll=POLL, failure=failure)


def end_makers(cluster: str) -> None:
    """Kill whatever on this machine is still making nodes of the cluster: kind, then the commands it started."""
    marks = (f"--name={cluster}", f"{docker.CLUSTER_LABEL}={cluster}")
    for what in ("create", "run"):
        for process in psutil.process_iter(["cmdline"]):
            argv = process.info["cmdline"] or []
            if what in argv[:3] and any(mark in argv for mark in marks):
                with contextlib.suppress(psutil.Error):
                    process.kill()
                    process.wait(POLL)


if __name__ == "__main__":
    remove(sys.argv[1])
