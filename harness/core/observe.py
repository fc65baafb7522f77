"""From what the API server says to what a history keeps.

A pod is kilobytes of JSON of which a verdict needs a handful of fields. These functions take raw objects (plain dicts
from a watch) and give the compact `state` of docs/reference/history.md, and words for what is new. They are pure and
run on the recorder's hot path: no model classes, no copies of what is not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from harness.core.quantity import millis

Object = Mapping[str, Any]
Classify = Callable[[Object], tuple[str, str, str]]  # pod -> gang "namespace/name" or "", part, role

GANG_LABEL = "muster.dev/gang"
ROLE_LABEL = "muster.dev/role"
PART_LABEL = "muster.dev/part"


def classify_by_label(pod: Object) -> tuple[str, str, str]:
    """Gang, part and role from muster's own labels: what adapters put on pods they write themselves."""
    meta = pod.get("metadata") or {}
    labels = meta.get("labels") or {}
    gang = labels.get(GANG_LABEL, "")
    part = labels.get(PART_LABEL) or ("member" if gang else "plain")
    return (f"{meta.get('namespace', '')}/{gang}" if gang else "", part, labels.get(ROLE_LABEL, ""))


def pod_state(pod: Object, classify: Classify = classify_by_label) -> dict[str, Any]:
    """What a history keeps of a pod."""
    meta, spec, status = pod.get("metadata") or {}, pod.get("spec") or {}, pod.get("status") or {}
    gang, part, role = classify(pod)
    running, exited = _containers(status)
    return _kept(
        gang=gang,
        part=part or ("member" if gang else "plain"),
        role=role,
        node=spec.get("nodeName"),
        nominated=status.get("nominatedNodeName"),
        phase=status.get("phase"),
        request=pod_request(spec),
        scheduler=spec.get("schedulerName"),
        priority=spec.get("priority"),
        gates=len(spec.get("schedulingGates") or ()),
        deleting="deletionTimestamp" in meta,
        ready=_is_true(status, "Ready"),
        conditions=_conditions(status),
        inits=[container["name"] for container in spec.get("initContainers") or ()],
        running=running,
        exited=exited,
    )


def pod_request(spec: Object) -> dict[str, int]:
    """What a node must have free for the pod, as the scheduler counts it, in thousandths.

    The sum of its containers and sidecars (init containers that restart always), or, where one is larger, the peak of
    an init container beside the sidecars started before it; plus the overhead of its runtime class.
    """
    total: dict[str, int] = {}
    for container in spec.get("containers") or ():
        _add(total, _requests(container))
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container in spec.get("initContainers") or ():
        amounts = _requests(container)
        if container.get("restartPolicy") == "Always":
            _add(sidecars, amounts)
            amounts = {}
        for name in (*amounts, *sidecars):
            peak[name] = max(peak.get(name, 0), sidecars.get(name, 0) + amounts.get(name, 0))
    _add(total, sidecars)
    for name, amount in peak.items():
        total[name] = max(total.get(name, 0), amount)
    _add(total, millis(spec.get("overhead")))
    return {name: amount for name, amount in total.items() if amount}


def node_state(node: Object) -> dict[str, Any]:
    """What a history keeps of a node."""
    meta, spec, status = node.get("metadata") or {}, node.get("spec") or {}, node.get("status") or {}
    return _kept(
        allocatable=millis(status.get("allocatable")),
        ready=_is_true(status, "Ready"),
        unschedulable=bool(spec.get("unschedulable")),
        taints=[_taint(taint) for taint in spec.get("taints") or ()],
        labels=dict(meta.get("labels") or {}),
    )


def event_state(event: Object, gang_of: Callable[[str], str] = lambda about: "") -> dict[str, Any]:
    """What a history keeps of an Event, of either API group; `gang_of` tells which gang "Kind/namespace/name" is of."""
    subject = event.get("regarding") or event.get("involvedObject") or {}
    about = f"{subject.get('kind', '')}/{subject.get('namespace', '')}/{subject.get('name', '')}"
    source = event.get("source") or event.get("deprecatedSource") or {}
    component = event.get("reportingController") or event.get("reportingComponent") or source.get("component")
    return _kept(
        reason=event.get("reason"),
        message=event.get("note") or event.get("message"),
        type=event.get("type"),
        about=about,
        component=component,
        gang=gang_of(about),
    )


def namespace_state(namespace: Object) -> dict[str, Any]:
    """What a history keeps of a namespace."""
    return _kept(phase=(namespace.get("status") or {}).get("phase"))


def group_state(group: Object, gang: str, quorum: int | None = None) -> dict[str, Any]:
    """What a history keeps of an object that stands for a gang; the adapter reads its gang and quorum."""
    meta, status = group.get("metadata") or {}, group.get("status") or {}
    phase = status.get("phase")
    return _kept(
        gang=gang,
        quorum=quorum,
        phase=phase if isinstance(phase, str) else None,
        conditions=_conditions(status),
        deleting="deletionTimestamp" in meta,
    )


def changes(before: Object | None, after: Object, verb: str) -> tuple[str, ...]:
    """Words for what is new in `after`; `before` is the object's previous state, None if this is its first."""
    old: Object = before if before is not None else {}
    words = ["created"] if before is None else []
    if after.get("node") and not old.get("node"):
        words.append("bound")
    if after.get("nominated") != old.get("nominated"):
        words.append("nominated" if after.get("nominated") else "unnominated")
    if _disrupted(after) and not _disrupted(old):
        words.append("evicted")
    if after.get("deleting") and not old.get("deleting"):
        words.append("deleting")
    if set(after.get("running") or ()) - set(old.get("running") or ()):
        words.append("started")
    if before is not None:
        words += _updates(before, after)
    if verb == "deleted":
        words.append("deleted")
    return tuple(words)


def unix(stamp: str) -> float:
    """An RFC 3339 time of Kubernetes as unix seconds."""
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def _updates(old: Object, new: Object) -> list[str]:
    words = [word for word, name in (("phase", "phase"), ("condition", "conditions")) if old.get(name) != new.get(name)]
    if any(old.get(name) != new.get(name) for name in ("request", "allocatable")):
        words.append("resized")
    if bool(old.get("ready")) != bool(new.get("ready")):
        words.append("ready" if new.get("ready") else "unready")
    if bool(old.get("unschedulable")) != bool(new.get("unschedulable")):
        words.append("cordoned" if new.get("unschedulable") else "uncordoned")
    return words


def _kept(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", 0, False, {}, [])}


def _conditions(status: Object) -> dict[str, list[str]]:
    found = status.get("conditions")
    return {
        one["type"]: [one.get("status", ""), one.get("reason") or "", one.get("message") or ""]
        for one in (found if isinstance(found, list) else ())
        if "type" in one
    }


def _is_true(status: Object, kind: str) -> bool:
    return any(one.get("type") == kind and one.get("status") == "True" for one in status.get("conditions") or ())


def _disrupted(state: Object) -> bool:
    condition = (state.get("conditions") or {}).get("DisruptionTarget")
    return condition is not None and condition[0] == "True"


def _containers(status: Object) -> tuple[dict[str, float], dict[str, int]]:
    """When each container started (also those that have ended since), and the exit codes of those that ended."""
    running: dict[str, float] = {}
    exited: dict[str, int] = {}
    for one in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        state = one.get("state") or {}
        ended = state.get("terminated")
        begun = (state.get("running") or ended or {}).get("startedAt")
        if begun:
            running[one["name"]] = unix(begun)
        if ended:
            exited[one["name"]] = ended.get("exitCode", 0)
    return running, exited


def _requests(container: Object) -> dict[str, int]:
    """A container's requests; a limit without a request is its request, as the API server defaults it."""
    resources = container.get("resources") or {}
    return {**millis(resources.get("limits")), **millis(resources.get("requests"))}


def _add(total: dict[str, int], amounts: Mapping[str, int]) -> None:
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + amount


def _taint(taint: Object) -> str:
    return f"{taint.get('key', '')}={taint.get('value', '')}:{taint.get('effect', '')}"
