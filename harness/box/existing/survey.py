"""What is in a user's cluster: the programs that run there with their images, and what could disturb a run.

Everything is found by asking the API server; nothing is installed and nothing is changed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.box.api import Api, Object
from harness.box.existing.ownership import RUN_LABEL
from harness.core.errors import ApiError
from harness.core.kinds import CRD, DEPLOYMENT, NODE, POD, STATEFUL_SET, Kind

DAEMON_SET = Kind("apps/v1", "DaemonSet", "daemonsets")
_VERSION = re.compile(r"\bv?(\d+\.\d+\.\d+(?:-(?:rc|alpha|beta)\.?\d+)?)\b")
_GATE = re.compile(r'^kubernetes_feature_enabled\{name="(\w+)",stage="\w*"\} ([01])$', re.MULTILINE)
_MEDDLERS = {  # programs that remove or change nodes which they do not know, and what to know about them
    r"cluster-autoscaler": "it removes nodes of its own groups only; fake nodes are in none",
    r"karpenter": "it removes nodes of its own NodePools only; fake nodes are in none",
    r"cloud-controller-manager": "it removes nodes that are NotReady and unknown to the cloud: cases that lose a node "
    "may see it gone",
    r"node-problem-detector|draino|descheduler": "it may evict pods or drain nodes while a case runs",
}


WORKLOADS = {kind.kind: kind for kind in (DEPLOYMENT, STATEFUL_SET, DAEMON_SET)}


@dataclass(frozen=True, slots=True)
class Program:
    """A container of a workload of the cluster."""

    kind: str
    namespace: str
    name: str
    image: str
    digest: str = ""  # of the image that runs, if a pod tells
    arguments: tuple[str, ...] = ()  # as the workload has them

    @property
    def version(self) -> str:
        """From the tag of the image; empty if that has none."""
        match = _VERSION.search(self.image.partition("@")[0].rpartition("/")[2])
        return match[1] if match else ""

    @property
    def address(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


def programs(api: Api) -> list[Program]:
    """Every container that a Deployment, StatefulSet or DaemonSet describes, and those of pods without an owner."""
    digests = _digests(api)
    described: list[Program] = []
    for kind in WORKLOADS.values():
        for obj in _list(api, kind):
            described += _containers(kind.kind, obj, obj["spec"]["template"]["spec"], digests)
    for pod in _list(api, POD, labelSelector=f"!{RUN_LABEL}"):
        owners = {owner.get("kind") for owner in pod["metadata"].get("ownerReferences") or ()}
        if not owners or owners == {"Node"}:  # a static pod is owned by its node
            described += _containers("Pod", pod, pod["spec"], digests)
    return described


def matching(everything: Sequence[Program], pattern: str) -> list[Program]:
    """Those whose image is called like this."""
    return [program for program in everything if pattern and re.search(pattern, program.image)]


def definitions(api: Api, kinds: Iterable[Kind]) -> dict[str, str]:
    """The definitions of kinds that are not built into Kubernetes, and the versions that they serve."""
    versions = {}
    for kind in kinds:
        name = f"{kind.plural}.{kind.api_version.partition('/')[0]}"
        try:
            definition = api.find(CRD, "", name)
        except ApiError as error:
            if error.status != 403:
                raise
            continue
        if definition is not None:
            served = [str(version["name"]) for version in definition["spec"]["versions"] if version.get("served")]
            versions[name] = ", ".join(served)
    return versions


def gates(api: Api, names: Collection[str], programs: Iterable[Program] = ()) -> dict[str, str]:
    """Of these gates of Kubernetes, those of which the cluster tells whether they are on: "GATE of PROGRAM" -> on, off.

    The API server tells its own by its metrics, if we may read them; others have them in their command lines.
    """
    try:
        metrics = str(api.request("GET", "/metrics").get("text", ""))
    except ApiError:
        metrics = ""
    switches = {"1": "on", "0": "off"}
    states = {f"{name} of kube-apiserver": switches[value] for name, value in _GATE.findall(metrics) if name in names}
    for program in programs:
        for argument in program.arguments:
            text = argument.partition("=")[2] if argument.startswith("--feature-gates=") else ""
            for name, _, value in (part.partition("=") for part in text.split(",")):
                if name in names:
                    states[f"{name} of {program.name}"] = "on" if value.lower() == "true" else "off"
    return states


def node_count(api: Api) -> int:
    """The cluster's own nodes."""
    return len(api.list(NODE, labelSelector=f"!{RUN_LABEL}"))


def remarks(api: Api, everything: Sequence[Program], taint: Mapping[str, str]) -> list[str]:
    """What may disturb a run, or be disturbed by its nodes, in sentences."""
    texts = [
        f"{program.address}: {advice}"
        for pattern, advice in _MEDDLERS.items()
        for program in matching(everything, pattern)
    ]
    for daemon in _list(api, DAEMON_SET):
        spec = daemon["spec"]["template"]["spec"]
        if _tolerates(spec.get("tolerations") or (), taint) and not spec.get("nodeSelector"):
            meta = daemon["metadata"]
            texts.append(
                f"DaemonSet {meta['namespace']}/{meta['name']} tolerates every taint: it puts a pod on each fake node, "
                "where KWOK simulates it, and its requests take room of the node"
            )
    return texts


def _tolerates(tolerations: Sequence[Mapping[str, Any]], taint: Mapping[str, str]) -> bool:
    return any(
        toleration.get("operator") == "Exists"
        and toleration.get("key", taint["key"]) == taint["key"]
        and toleration.get("effect", taint["effect"]) in ("", taint["effect"])
        for toleration in tolerations
    )


def _list(api: Api, kind: Kind, **params: str) -> list[Object]:
    """The objects of a kind; none where they may not be read."""
    try:
        return api.list(kind, **params)
    except ApiError as error:
        if error.status in (403, 404):
            return []
        raise


def _containers(kind: str, obj: Object, spec: Object, digests: Mapping[str, str]) -> Iterator[Program]:
    meta = obj["metadata"]
    for container in spec.get("containers") or ():
        image = str(container.get("image", ""))
        arguments = tuple(map(str, (*(container.get("command") or ()), *(container.get("args") or ()))))
        yield Program(kind, meta.get("namespace", ""), meta["name"], image, digests.get(image, ""), arguments)


def _digests(api: Api) -> dict[str, str]:
    """Image as it was asked for -> digest of what runs."""
    digests: dict[str, str] = {}
    for pod in _list(api, POD, labelSelector=f"!{RUN_LABEL}"):
        images = {
            container["name"]: str(container.get("image", "")) for container in pod["spec"].get("containers") or ()
        }
        for status in (pod.get("status") or {}).get("containerStatuses") or ():
            digest = str(status.get("imageID", "")).rpartition("@")[2]
            if digest.startswith("sha256:") and status.get("name") in images:
                digests[images[status["name"]]] = digest
    return digests
