"""`muster bench controllers`: the speed and the memory of a reference controller with a thousand JobSets.

The gang controller is paused while the JobSets are created and then resumed, so it has a thousand to prepare at once.
In turn with it a plain client with as many threads makes the same writes without any logic: that is the lower bound
for every controller. Everything is deleted and created again in every round, so a memory leak shows.
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

from harness.adapters.common import jobset, reference_controller
from harness.adapters.common.base import Settings
from harness.adapters.jobset_gang import FIELDS, NAME
from harness.bench import BenchResult, Report, median, ratio
from harness.box.api import APPLY, Api, Object
from harness.box.connect import connect
from harness.box.embedded.box import EmbeddedBox
from harness.box.minor import default_minor
from harness.core.errors import HarnessError
from harness.core.gang_api import GangApi, gang_policy
from harness.core.kinds import EVENT, JOBSET, Kind
from harness.core.waiting import until

JOBSETS = 1000
CLIENTS = 4  # threads of the controller, and of the client beside it
TIMEOUT = 300.0  # seconds for one round


def bench(rounds: int, report: Report) -> BenchResult:
    """Measure the controller and the plain client in turn."""
    ours, plain, speeds, sizes = [], [], [], []
    spawn = multiprocessing.get_context("spawn")
    settings = Settings()
    with EmbeddedBox(scheduler=False, definitions=jobset.definitions(settings, default_minor())) as box:
        hosted = _Hosted(box, settings)
        with ProcessPoolExecutor(1, spawn) as load:
            for number in range(rounds):
                plain.append(load.submit(_write_all, box.kubeconfig, hosted.gang_api, f"plain-{number}").result())
                load.submit(_empty, box.kubeconfig, hosted.gang_api, f"plain-{number}").result()
                hosted.process.pause()
                load.submit(_make_sets, box.kubeconfig, f"ours-{number}", "Gang").result()
                seconds, reconciles = hosted.prepare(f"ours-{number}")
                ours.append(seconds)
                speeds.append(reconciles / seconds)
                sizes.append(psutil.Process(hosted.process.pid).memory_info().rss / (1 << 20))
                load.submit(_empty, box.kubeconfig, hosted.gang_api, f"ours-{number}").result()
                report(
                    f"round {number + 1}/{rounds}: {JOBSETS} JobSets in {seconds:.1f} s "
                    f"({speeds[-1]:.0f} reconciles/s), plain writes {plain[-1]:.1f} s, {sizes[-1]:.0f} MiB"
                )
    return BenchResult(
        "controllers",
        ratios={"time_to_plain_writes": ratio(ours, plain), "memory_last_to_first": round(sizes[-1] / sizes[0], 3)},
        figures={
            "reconciles_per_second": round(median(speeds)),
            "jobsets_per_second": round(JOBSETS / median(ours)),
            "memory_mib": round(median(sizes)),
            "jobsets": JOBSETS,
            "rounds": rounds,
        },
        targets={"reconciles_per_second": 50, "memory_last_to_first": 1.1},
    )


class _Hosted:
    """The gang controller in a box without a JobSet controller: there are JobSets, but no Jobs."""

    def __init__(self, box: EmbeddedBox, settings: Settings) -> None:
        jobset.extend(box, FIELDS)
        self.api = box.api
        self.gang_api = box.minor.gang_api
        self.process = reference_controller.start(box, settings, NAME, NAME, binary=f"{NAME}.controller")
        hooks = self.api.resource("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
        self.api.delete(hooks, "", f"muster-{NAME}")  # it cannot answer while the controller is paused
        flags = dict(flag.split("=", 1) for flag in self.process.command.argv if flag.startswith("--health-port="))
        self._metrics = f"http://127.0.0.1:{flags['--health-port']}/metrics"

    def prepare(self, namespace: str) -> tuple[float, int]:
        """Resume the controller; returns the seconds until every JobSet has its gang, and the number of reconciles."""
        began = time.monotonic()
        self.process.resume()
        before = self._figure("reconciles_total")
        groups = self.gang_api.pod_group
        _until(
            lambda: _count(self.api, groups, namespace) == JOBSETS and self._figure("queue_length") == 0, "PodGroups"
        )
        return time.monotonic() - began, self._figure("reconciles_total") - before

    def _figure(self, name: str) -> int:
        with urllib.request.urlopen(self._metrics, timeout=30) as answer:
            match = re.search(rf"^muster_controller_{name}{{[^}}]*}} (\d+)$", answer.read().decode(), re.MULTILINE)
        if match is None:
            raise HarnessError(f"the controller has no figure {name}")
        return int(match[1])


# -- in another process, like other clients of the cluster ------------------------------------------------------------


def _make_sets(kubeconfig: Path, namespace: str, mode: str) -> None:
    api = connect(kubeconfig, agent="bench-load")
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(lambda number: api.create(_set(namespace, number, mode)), range(JOBSETS)))


def _write_all(kubeconfig: Path, gang_api: GangApi, namespace: str) -> float:
    """Seconds for the writes that a controller makes for each JobSet: Workload, PodGroup, event, condition."""
    _make_sets(kubeconfig, namespace, "Off")
    api = connect(kubeconfig, agent="bench-load")
    began = time.monotonic()
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(lambda number: _write(api, gang_api, namespace, f"set-{number}"), range(JOBSETS)))
    return time.monotonic() - began


def _write(api: Api, gang_api: GangApi, namespace: str, name: str) -> None:
    policy, meta = gang_policy(2), {"namespace": namespace, "name": name}
    templates = {gang_api.groups_field: [gang_api.entry("pg", policy)]}
    group = {gang_api.policy_field: policy}
    api.create({"apiVersion": gang_api.version, "kind": "Workload", "metadata": meta, "spec": templates})
    api.create({"apiVersion": gang_api.version, "kind": "PodGroup", "metadata": meta, "spec": group})
    kind = {"apiVersion": JOBSET.api_version, "kind": JOBSET.kind}
    text = {"reason": "Bench", "message": "as a controller would"}
    api.create({"apiVersion": "v1", "kind": "Event", "metadata": meta, "involvedObject": {**kind, **meta}, **text})
    condition = {"type": "Bench", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z", **text}
    body = {**kind, "metadata": meta, "status": {"conditions": [condition]}}
    path = f"{JOBSET.path(namespace, name)}/status"
    api.request("PATCH", path, body, content_type=APPLY, params={"fieldManager": "bench"})


def _empty(kubeconfig: Path, gang_api: GangApi, namespace: str) -> None:
    """Delete everything of a round, and wait until it is gone."""
    api = connect(kubeconfig, agent="bench-load")
    kinds = [JOBSET, gang_api.workload, gang_api.pod_group]
    for kind in kinds:
        api.delete_all(kind, namespace)
    for kind in kinds:
        _until(lambda kind=kind: _count(api, kind, namespace) == 0, f"no {kind.kind}")  # type: ignore[misc]
    api.delete_all(EVENT, namespace)


def _set(namespace: str, number: int, mode: str) -> Object:
    pods = {"spec": {"containers": [{"name": "main", "image": "pause"}], "restartPolicy": "Never"}}
    job = {
        "name": "worker",
        "replicas": 1,
        "template": {"spec": {"parallelism": 2, "completions": 2, "template": pods}},
    }
    return {
        "apiVersion": JOBSET.api_version,
        "kind": JOBSET.kind,
        "metadata": {"name": f"set-{number}", "namespace": namespace},
        "spec": {"gangConfig": {"gangMode": mode}, "replicatedJobs": [job]},
    }


def _count(api: Api, kind: Kind, namespace: str) -> int:
    """How many objects there are, without a transfer of all of them."""
    answer = api.request("GET", kind.path(namespace), params={"limit": "1"})
    return len(answer["items"]) + int(answer["metadata"].get("remainingItemCount") or 0)


def _until(condition: Callable[[], bool], what: str) -> None:
    until(condition, TIMEOUT, f"{JOBSETS} JobSets: {what}")
