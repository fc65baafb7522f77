"""Bring the logs of programs in the cluster into the box's folder, as they are written.

A process of the box has its log there by itself; a container's is on its node. This process follows every program of
the control plane and of the integration, through its restarts, into logs/<program>.log, where `muster logs` and the
evidence of a case look for it.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import urllib3

from harness.box.api import Api, Object
from harness.box.base import PROGRAM
from harness.box.connect import connect
from harness.core.errors import ApiError
from harness.core.kinds import POD

PAUSE = 1.0  # seconds before it asks an API server again that did not answer
_TROUBLE = (ApiError, urllib3.exceptions.HTTPError, OSError, ValueError)


def program_of(pod: Object) -> str:
    """The program that a pod runs; empty for pods that are none of ours."""
    meta = pod["metadata"]
    named = str((meta.get("annotations") or {}).get(PROGRAM, ""))
    if named or meta["namespace"] != "kube-system":
        return named
    labels = meta.get("labels") or {}
    return str(labels.get("component", "")) if labels.get("tier") == "control-plane" else ""


class Follower:
    """Follows each run of each program once."""

    def __init__(self, api: Api, folder: Path) -> None:
        self._api = api
        self._folder = folder
        self._followed: set[str] = set()
        self._heard: dict[str, float] = {}  # when a run was last heard of, to go on from there

    def see(self, pod: Object) -> None:
        """Begin to follow the containers of a pod that run and are not followed yet."""
        name = program_of(pod)
        for status in (pod.get("status") or {}).get("containerStatuses") or () if name else ():
            run = str(status.get("containerID", ""))
            if "running" in status["state"] and run not in self._followed:
                self._followed.add(run)
                where = (pod["metadata"]["namespace"], pod["metadata"]["name"], status["name"])
                threading.Thread(target=self._follow, args=(name, run, *where), daemon=True).start()

    def _follow(self, name: str, run: str, namespace: str, pod: str, container: str) -> None:
        path = f"{POD.path(namespace, pod)}/log"
        heard = self._heard.get(run)
        params = {"follow": "true", "container": container}
        if heard:
            params["sinceSeconds"] = str(max(1, round(time.time() - heard)))
        try:
            with (self._folder / f"{name}.log").open("ab", buffering=0) as log:
                for piece in self._api.stream(path, params):
                    log.write(piece)
                    self._heard[run] = time.time()
        except _TROUBLE as error:
            print(f"{name}: {error}", flush=True)
            time.sleep(PAUSE)
            self._followed.discard(run)  # if it still runs, the next look at its pod begins again

    def keep(self) -> None:
        """Watch the pods until this process is ended."""
        while True:
            try:
                listed = self._api.request("GET", POD.path())
                for pod in listed["items"]:
                    self.see(pod)
                for event in self._api.watch(POD, str(listed["metadata"]["resourceVersion"]), timeout=60):
                    if event["type"] == "ERROR":
                        break
                    if event["type"] != "BOOKMARK":
                        self.see(event["object"])
            except _TROUBLE as error:
                print(f"asking again: {error}", flush=True)
            time.sleep(PAUSE)


if __name__ == "__main__":
    Follower(connect(Path(sys.argv[1]), agent="muster-logs"), Path(sys.argv[2])).keep()
