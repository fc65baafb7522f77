"""Somebody's cluster, for tests: an embedded box with schedulers, nodes and workloads that are not muster's.

KWOK plays its nodes, so the programs of its Deployments do not run in containers: a scheduler is a process of this
machine, and `follow_pods` ties its life to the pods of its Deployment, as a kubelet would.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from harness import EmbeddedBox, Pool
from harness.adapters import adapter
from harness.adapters.common import hosting
from harness.adapters.common.base import Settings
from harness.box.api import Api, Object
from harness.box.artifacts import load
from harness.box.base import Process
from harness.box.existing.ownership import RUN_LABEL
from harness.core.kinds import DEPLOYMENT, POD, Kind
from harness.core.waiting import until

ROOT = Path(__file__).parents[2]
SELECTOR = "example.com/lab=true"  # selects the nodes that the cluster's owner lets muster borrow
TEAM = "team"
SECOND = "team-scheduler"  # a scheduler of the owner's, beside those that are judged
OTHERS = f"""
{{apiVersion: v1, kind: Namespace, metadata: {{name: {TEAM}}}}}
---
{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: team-low}}, value: 1}}
---
{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: team, namespace: {TEAM}}}, spec: {{hard: {{pods: "50"}}}}}}
---
{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: web, namespace: {TEAM}}},
  spec: {{minAvailable: 3, selector: {{matchLabels: {{app: web}}}}}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: {TEAM}}}
spec:
  replicas: 3
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      priorityClassName: team-low
      containers: [{{name: web, image: "registry.example/web:1.0.0", resources: {{requests: {{cpu: "1"}}}}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: second, namespace: {TEAM}}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: second}}}}
  template:
    metadata: {{labels: {{app: second}}}}
    spec:
      schedulerName: {SECOND}
      containers: [{{name: main, image: "registry.example/second:2.1.0", resources: {{requests: {{nvidia.com/gpu: "2"}},
        limits: {{nvidia.com/gpu: "2"}}}}}}]
---
apiVersion: batch/v1
kind: Job
metadata: {{name: night, namespace: {TEAM}}}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: main, image: "registry.example/night:3", resources: {{requests: {{cpu: 100m}}}}}}]
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: team.example}}
spec: {{selectors: [{{cel: {{expression: 'device.driver == "team.example"'}}}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: node-0-team}}
spec:
  {{driver: team.example, nodeName: node-0, devices: [{{name: device-0}}],
   pool: {{name: node-0, generation: 1, resourceSliceCount: 1}}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: device, namespace: {TEAM}}}
spec: {{devices: {{requests: [{{name: device, exactly: {{deviceClassName: team.example}}}}]}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: with-device, namespace: {TEAM}}}
spec:
  resourceClaims: [{{name: device, resourceClaimName: device}}]
  containers: [{{name: main, image: "registry.example/device:4", resources: {{claims: [{{name: device}}]}}}}]
"""
RUNNING = 8  # pods of the workloads above
CHANGING = ("Event", "Lease")  # kinds that change all the time, whoever looks
SCHEDULER_STATUS = ("Queue", "PodGroup")  # kinds whose status a scheduler counts in, also for pods of a run


@contextlib.contextmanager
def somebodys_cluster(*integrations: str, nodes: int = 5) -> Iterator[EmbeddedBox]:
    """The cluster, up, with these integrations installed in it and workloads of others running."""
    adapters = [adapter(name) for name in integrations]
    definitions = [path for each in adapters for path in each.definitions(Settings(), "1.37")]
    pools = [Pool(nodes, gpus=8, labels=dict([SELECTOR.split("=")]))]
    with EmbeddedBox(nodes=pools, definitions=definitions) as box:
        for each in adapters:
            each.install(box, Settings())
            show_programs(box, each.name)
        hosting.plain_scheduler(box, SECOND, box.identity(f"system:{SECOND}"), role="second").wait_ready(60)
        for obj in yaml.safe_load_all(OTHERS):
            box.api.create(obj)
        until(lambda: running(box.api, TEAM) == RUNNING, 90, "the workloads of others run")
        come_to_rest(box.api)
        yield box


def come_to_rest(api: Api) -> None:
    """Return once no controller has anything left to write about what others have: nothing new in two seconds."""
    snapshots: list[dict[str, str]] = []

    def is_at_rest() -> bool:
        snapshots.append(everything_of_others(api))
        return snapshots[-2:-1] == snapshots[-1:]

    until(is_at_rest, 90, "everything has come to rest", poll=2.0)


def show_programs(box: EmbeddedBox, name: str) -> None:
    """Have Deployments in the cluster that say what an integration's programs are, as its vendor's chart would."""
    release = load().lock(adapter(name).component).version
    box.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"{name}-system"}})
    for role, image in IMAGES[name].items():
        labels = {"app": f"{name}-{role}"}
        container = {"name": "main", "image": f"registry.example/{image}:v{release}"}
        box.api.create(
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": f"{name}-{role}", "namespace": f"{name}-system"},
                "spec": {
                    "replicas": 1,
                    "selector": {"matchLabels": labels},
                    "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
                },
            }
        )
    until(lambda: running(box.api, f"{name}-system") == len(IMAGES[name]), 60, f"the programs of {name} are shown")
    for pod in box.api.list(POD, f"{name}-system"):
        statuses = pod["status"]["containerStatuses"]
        for status in statuses:
            status["imageID"] = f"{status['image'].partition(':')[0]}@sha256:{'0a' * 32}"
        change = {"status": {"containerStatuses": statuses}}
        box.api.patch(POD, f"{name}-system", pod["metadata"]["name"], change, subresource="status")


IMAGES = {
    "volcano": {"scheduler": "volcanosh/vc-scheduler", "controller": "volcanosh/vc-controller-manager"},
    "coscheduling": {"scheduler": "scheduler-plugins/kube-scheduler", "controller": "scheduler-plugins/controller"},
}


def running(api: Api, namespace: str) -> int:
    return sum((pod.get("status") or {}).get("phase") == "Running" for pod in api.list(POD, namespace))


@contextlib.contextmanager
def follow_pods(api: Api, namespace: str, deployment: str, process: Process) -> Iterator[None]:
    """Let a process run exactly while a pod of the Deployment does, as a kubelet would."""
    selector = api.get(DEPLOYMENT, namespace, deployment)["spec"]["selector"]["matchLabels"]
    labels = ",".join(f"{key}={value}" for key, value in selector.items())
    stop = threading.Event()

    def work() -> None:
        (uid,) = {pod["metadata"]["uid"] for pod in api.list(POD, namespace, labelSelector=labels)}
        while not stop.wait(0.02):
            pods = {
                pod["metadata"]["uid"]: (pod.get("status") or {}).get("phase")
                for pod in api.list(POD, namespace, labelSelector=labels)
                if not pod["metadata"].get("deletionTimestamp")
            }
            if uid not in pods and process.alive:
                process.kill()
            for newcomer in [name for name, phase in pods.items() if phase == "Running" and name != uid]:
                uid = newcomer
                process.start()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        if not process.alive:
            process.restart()


# -- what others have -------------------------------------------------------------------------------------------------


def everything_of_others(api: Api, borrowed: bool = False) -> dict[str, str]:
    """Every object of every kind that is not a run's, as text: to be compared byte by byte.

    A node that was borrowed has another revision and other managers of its fields; all else of it must be as it was.
    """
    objects = {}
    for kind in served_kinds(api):
        for obj in api.list(kind, labelSelector=f"!{RUN_LABEL}"):
            meta = obj["metadata"]
            if kind.kind in SCHEDULER_STATUS or (borrowed and kind.kind == "Node"):
                meta = {key: value for key, value in meta.items() if key not in ("resourceVersion", "managedFields")}
            content = {**obj, "metadata": meta}
            if kind.kind in SCHEDULER_STATUS:
                content.pop("status", None)
            name = f"{kind.api_version} {kind.kind} {meta.get('namespace', '')}/{meta['name']}"
            objects[name] = json.dumps(content, sort_keys=True)
    return objects


def served_kinds(api: Api) -> list[Kind]:
    """Every kind that can be listed, in the version that the API server prefers."""
    versions = ["v1", *(group["preferredVersion"]["groupVersion"] for group in api.request("GET", "/apis")["groups"])]
    kinds = []
    for version in versions:
        root = f"/api/{version}" if "/" not in version else f"/apis/{version}"
        for entry in api.request("GET", root)["resources"]:
            if "list" in entry["verbs"] and "/" not in entry["name"] and entry["kind"] not in CHANGING:
                kinds.append(Kind(version, entry["kind"], entry["name"], entry["namespaced"]))
    return kinds


def differences(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """What is not byte by byte as it was."""
    names = sorted({*before, *after})
    return [
        f"{name}\n  {before.get(name)}\n  {after.get(name)}" for name in names if before.get(name) != after.get(name)
    ]


# -- muster -----------------------------------------------------------------------------------------------------------


def command(*arguments: str, kubeconfig: Path, context: str) -> list[str]:
    return [sys.executable, "-m", "harness", *arguments, "--kubeconfig", str(kubeconfig), "--context", context]


def muster(*arguments: str, kubeconfig: Path, context: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments, kubeconfig=kubeconfig, context=context),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout,
        check=False,
    )


def cases(*names: str) -> list[str]:
    return [word for name in names for word in ("--case", name)]


def results(folder: Path) -> dict[str, Any]:
    """What the latest run in this folder came to."""
    data: dict[str, Any] = json.loads((folder / "latest" / "results.json").read_text())
    return data


def outcomes(folder: Path) -> dict[str, str]:
    return {case["case"]: case["outcome"] for case in results(folder)["cases"]}


def reasons(folder: Path) -> dict[str, str]:
    """Why cases of the latest run are not supported."""
    rows: Iterable[Object] = results(folder)["cases"]
    return {case["case"]: case["verdicts"][0]["reason"] for case in rows if case["outcome"] == "not-supported"}


def bind_role(api: Api, role: str, user: str) -> None:
    """Give a user a ClusterRole."""
    api.create(
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": user},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
        }
    )


def printed_role(*options: str) -> Sequence[Object]:
    """What `muster cluster role` prints."""
    done = subprocess.run(
        [sys.executable, "-m", "harness", "cluster", "role", *options], capture_output=True, text=True, check=True
    )
    return list(yaml.safe_load_all(done.stdout))
