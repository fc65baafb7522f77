"""`muster bench controllers`: does a reference controller keep up with a thousand JobSets, and stay as large as it is?

The controller for gangs is stopped while the JobSets are made, and let go: it then has a thousand to prepare at once.
Beside it, in turn, a plain client with as many threads makes the very same writes and thinks about nothing: what the
API server takes is the floor for any controller. Everything is deleted and made again in every round; a controller
that forgets nothing grows.
"""

from __future__ import annotations

import multiprocessing
import re
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import psutil

from harness.adapters import jobset, reference
from harness.adapters.base import Settings
from harness.adapters.jobset_gang import FIELDS, NAME
from harness.bench import Outcome, Say, median, ratio
from harness.box.api import APPLY, Api, Object, Resource
from harness.box.connect import connect
from harness.box.embedded import EmbeddedBox
from harness.core.errors import HarnessError

JOBSETS = 1000
CLIENTS = 4  # threads of the controller, and of the client beside it
PATIENCE = 300.0  # seconds for one round
SETS = Resource(jobset.JOBSET[0], jobset.JOBSET[1], "jobsets", True)


def bench(rounds: int, say: Say) -> Outcome:
    """Measure the controller and the plain client in turn."""
    ours, plain, speeds, sizes = [], [], [], []
    spawn = multiprocessing.get_context("spawn")
    settings = Settings()
    with EmbeddedBox(scheduler=False, definitions=jobset.definitions(settings)) as box:
        hosted = _Hosted(box, settings)
        with ProcessPoolExecutor(1, spawn) as load:
            for number in range(rounds):
                plain.append(load.submit(_write_all, box.kubeconfig, hosted.group, f"plain-{number}").result())
                load.submit(_empty, box.kubeconfig, hosted.group, f"plain-{number}").result()
                hosted.process.pause()
                load.submit(_make_sets, box.kubeconfig, f"ours-{number}", "Gang").result()
                seconds, looks = hosted.prepare(f"ours-{number}")
                ours.append(seconds)
                speeds.append(looks / seconds)
                sizes.append(psutil.Process(hosted.process.pid).memory_info().rss / (1 << 20))
                load.submit(_empty, box.kubeconfig, hosted.group, f"ours-{number}").result()
                say(
                    f"round {number + 1}/{rounds}: {JOBSETS} JobSets in {seconds:.1f} s ({speeds[-1]:.0f} looks/s), "
                    f"plain writes {plain[-1]:.1f} s, {sizes[-1]:.0f} MiB"
                )
    return Outcome(
        "controllers",
        ratios={"time_to_plain_writes": ratio(ours, plain), "memory_last_to_first": round(sizes[-1] / sizes[0], 3)},
        figures={
            "reconciles_per_second": round(median(speeds)), "jobsets_per_second": round(JOBSETS / median(ours)),
            "memory_mib": round(median(sizes)), "jobsets": JOBSETS, "rounds": rounds,
        },
        targets={"reconciles_per_second": 50, "memory_last_to_first": 1.1},
    )  # fmt: skip


class _Hosted:
    """The controller in a box without a JobSet controller: there are JobSets, and nobody makes Jobs of them."""

    def __init__(self, box: EmbeddedBox, settings: Settings) -> None:
        jobset.extend(box, FIELDS)
        self.api = box.api
        self.group = box.profile.group
        self.process = reference.start(box, settings, NAME, NAME, binary=f"{NAME}.controller")
        hooks = self.api.resource("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
        self.api.delete(hooks, "", f"muster-{NAME}")  # nobody is asked while the controller stands still
        flags = dict(flag.split("=", 1) for flag in self.process.command.argv if flag.startswith("--health-port="))
        self._metrics = f"http://127.0.0.1:{flags['--health-port']}/metrics"

    def prepare(self, namespace: str) -> tuple[float, int]:
        """Let the controller go; the seconds until every JobSet has its gang and nothing is queued, and its looks."""
        began = time.monotonic()
        self.process.resume()
        before = self._figure("reconciles_total")
        groups = self.api.resource(self.group, "PodGroup")
        _until(
            lambda: _count(self.api, groups, namespace) == JOBSETS and self._figure("queue_length") == 0, "PodGroups"
        )
        return time.monotonic() - began, self._figure("reconciles_total") - before

    def _figure(self, name: str) -> int:
        with urllib.request.urlopen(self._metrics, timeout=30) as answer:
            found = re.search(rf"^muster_controller_{name}{{[^}}]*}} (\d+)$", answer.read().decode(), re.MULTILINE)
        if found is None:
            raise HarnessError(f"the controller has no figure {name}")
        return int(found[1])


# -- in a process of its own, as other users would be -----------------------------------------------------------------


def _make_sets(kubeconfig: Path, namespace: str, mode: str) -> None:
    api = connect(kubeconfig, agent="bench-load")
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(lambda number: api.create(_set(namespace, number, mode)), range(JOBSETS)))


def _write_all(kubeconfig: Path, group: str, namespace: str) -> float:
    """Seconds for the writes that a controller makes for each JobSet: Workload, PodGroup, event, condition."""
    _make_sets(kubeconfig, namespace, "Off")
    api = connect(kubeconfig, agent="bench-load")
    began = time.monotonic()
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(lambda number: _write(api, group, namespace, f"set-{number}"), range(JOBSETS)))
    return time.monotonic() - began


def _write(api: Api, group: str, namespace: str, name: str) -> None:
    policy, meta = {"gang": {"minCount": 2}}, {"namespace": namespace}
    spec = {"podGroupTemplates": [{"name": "pg", "schedulingPolicy": policy}]}
    api.create({"apiVersion": group, "kind": "Workload", "metadata": {**meta, "name": name}, "spec": spec})
    api.create({
        "apiVersion": group, "kind": "PodGroup", "metadata": {**meta, "name": name},
        "spec": {"schedulingPolicy": policy},
    })  # fmt: skip
    about = {"apiVersion": SETS.api_version, "kind": SETS.kind, "name": name, **meta}
    api.create({
        "apiVersion": "v1", "kind": "Event", "metadata": {**meta, "name": name}, "involvedObject": about,
        "reason": "Bench", "message": "as a controller would",
    })  # fmt: skip
    condition = {"type": "Bench", "status": "True", "reason": "Bench", "message": "as a controller would",
                 "lastTransitionTime": "2026-01-01T00:00:00Z"}  # fmt: skip
    body = {"apiVersion": SETS.api_version, "kind": SETS.kind, "metadata": {**meta, "name": name},
            "status": {"conditions": [condition]}}  # fmt: skip
    api.request(
        "PATCH", f"{SETS.path(namespace, name)}/status", body, content_type=APPLY, params={"fieldManager": "bench"}
    )


def _empty(kubeconfig: Path, group: str, namespace: str) -> None:
    """Delete everything of a round, and see it gone."""
    api = connect(kubeconfig, agent="bench-load")
    kinds = [SETS, *(api.resource(group, kind) for kind in ("Workload", "PodGroup"))]
    for kind in kinds:
        api.delete_all(kind, namespace)
    for kind in kinds:
        _until(lambda kind=kind: _count(api, kind, namespace) == 0, f"no {kind.kind}")  # type: ignore[misc]
    api.delete_all(Resource("v1", "Event", "events", True), namespace)


def _set(namespace: str, number: int, mode: str) -> Object:
    pods = {"spec": {"containers": [{"name": "main", "image": "pause"}], "restartPolicy": "Never"}}
    job = {
        "name": "worker",
        "replicas": 1,
        "template": {"spec": {"parallelism": 2, "completions": 2, "template": pods}},
    }
    return {
        "apiVersion": SETS.api_version, "kind": SETS.kind,
        "metadata": {"name": f"set-{number}", "namespace": namespace},
        "spec": {"gangConfig": {"gangMode": mode}, "replicatedJobs": [job]},
    }  # fmt: skip


def _count(api: Api, kind: Resource, namespace: str) -> int:
    """How many objects there are, without having them all sent."""
    answer = api.request("GET", kind.path(namespace), params={"limit": "1"})
    return len(answer["items"]) + int(answer["metadata"].get("remainingItemCount") or 0)


def _until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise HarnessError(f"{JOBSETS} JobSets: {what} did not come within {PATIENCE:.0f} s")
        time.sleep(0.05)
