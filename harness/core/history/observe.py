"""From objects of the API server to the compact states that a history stores.

A pod is kilobytes of JSON, and a verdict needs a handful of its fields. These functions take raw objects (plain dicts
from a watch) and return the compact `state` of docs/reference/history.md, and labels for what changed. They are pure
and run for every watch event: no model classes, no copies of fields that are not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from harness.core.history.constraints import NAME_LABEL, pod_constraints
from harness.core.history.records import gang_key
from harness.core.labels import by_label
from harness.core.quantity import millis

Object = Mapping[str, Any]
_OF_PODS = ("cpu", "memory")  # what a pod can request as a whole, beside huge pages
Classify = Callable[[Any], tuple[str, str, str]]  # pod -> name of its gang or "", part, role


def pod_state(pod: Object, classify: Classify = by_label) -> dict[str, Any]:
    """What a history keeps of a pod."""
    meta, spec, status = pod.get("metadata") or {}, pod.get("spec") or {}, pod.get("status") or {}
    gang, part, role = classify(pod)
    gang = gang_key(meta.get("namespace", ""), gang) if gang else ""
    running, exited = _containers(status)
    state = _without_defaults(
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
        failed_by=_phase_writer(meta) if status.get("phase") == "Failed" else None,
        labels=dict(meta.get("labels") or {}),
    )
    state["constraints"] = pod_constraints(pod)  # also when there are none: the bind is judged by the node's taints
    return state


def pod_request(spec: Object) -> dict[str, int]:
    """What a node must have free for the pod, as the scheduler counts it, in thousandths.

    The sum of its containers and sidecars (init containers that restart always), or, where one is larger, the peak of
    an init container beside the sidecars started before it. What the pod requests as a whole goes before that sum.
    The overhead of its runtime class is added in the end.
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
    whole = millis((spec.get("resources") or {}).get("requests"))
    total |= {name: amount for name, amount in whole.items() if name in _OF_PODS or name.startswith("hugepages-")}
    _add(total, millis(spec.get("overhead")))
    return {name: amount for name, amount in total.items() if amount}


def node_state(node: Object) -> dict[str, Any]:
    """What a history keeps of a node."""
    meta, spec, status = node.get("metadata") or {}, node.get("spec") or {}, node.get("status") or {}
    return _without_defaults(
        allocatable=millis(status.get("allocatable")),
        ready=_is_true(status, "Ready"),
        unschedulable=bool(spec.get("unschedulable")),
        taints=[_taint(taint) for taint in spec.get("taints") or ()],
        labels=dict(meta.get("labels") or {}),
    )


def event_state(event: Object, gang_of: Callable[[str], str] = lambda about: "") -> dict[str, Any]:
    """What a history keeps of an Event, of either API group; `gang_of` returns the gang of "Kind/namespace/name"."""
    subject = event.get("regarding") or event.get("involvedObject") or {}
    about = f"{subject.get('kind', '')}/{subject.get('namespace', '')}/{subject.get('name', '')}"
    source = event.get("source") or event.get("deprecatedSource") or {}
    component = event.get("reportingController") or event.get("reportingComponent") or source.get("component")
    return _without_defaults(
        reason=event.get("reason"),
        message=event.get("note") or event.get("message"),
        type=event.get("type"),
        about=about,
        component=component,
        gang=gang_of(about),
    )


def namespace_state(namespace: Object) -> dict[str, Any]:
    """What a history keeps of a namespace; the label that repeats its name is left out."""
    labels = (namespace.get("metadata") or {}).get("labels") or {}
    return _without_defaults(
        phase=(namespace.get("status") or {}).get("phase"),
        labels={key: value for key, value in labels.items() if key != NAME_LABEL},
    )


def group_state(group: Object, gang: str, quorum: int | None = None) -> dict[str, Any]:
    """What a history keeps of a group object, such as a PodGroup; the adapter reads its gang and quorum."""
    meta, status = group.get("metadata") or {}, group.get("status") or {}
    phase = status.get("phase")
    return _without_defaults(
        gang=gang,
        quorum=quorum,
        phase=phase if isinstance(phase, str) else None,
        conditions=_conditions(status),
        deleting="deletionTimestamp" in meta,
    )


def changes(before: Object | None, after: Object, verb: str) -> tuple[str, ...]:
    """Labels for what changed in `after`; `before` is the object's previous state, None if this is its first."""
    old: Object = before if before is not None else {}
    labels = ["created"] if before is None else []
    if after.get("node") and not old.get("node"):
        labels.append("bound")
    if after.get("nominated") != old.get("nominated"):
        labels.append("nominated" if after.get("nominated") else "unnominated")
    if _disrupted(after) and not _disrupted(old):
        labels.append("evicted")
    if after.get("deleting") and not old.get("deleting"):
        labels.append("deleting")
    if set(after.get("running") or ()) - set(old.get("running") or ()):
        labels.append("started")
    if before is not None:
        labels += _updates(before, after)
    if verb == "deleted":
        labels.append("deleted")
    return tuple(labels)


def unix(stamp: str) -> float:
    """An RFC 3339 time of Kubernetes as unix seconds."""
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def _updates(old: Object, new: Object) -> list[str]:
    labels = [
        label for label, name in (("phase", "phase"), ("condition", "conditions")) if old.get(name) != new.get(name)
    ]
    if any(old.get(name) != new.get(name) for name in ("request", "allocatable")):
        labels.append("resized")
    if bool(old.get("ready")) != bool(new.get("ready")):
        labels.append("ready" if new.get("ready") else "unready")
    if bool(old.get("unschedulable")) != bool(new.get("unschedulable")):
        labels.append("cordoned" if new.get("unschedulable") else "uncordoned")
    return labels


def _without_defaults(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", 0, False, {}, [])}


def _conditions(status: Object) -> dict[str, list[str]]:
    conditions = status.get("conditions")
    return {
        condition["type"]: [condition.get("status", ""), condition.get("reason") or "", condition.get("message") or ""]
        for condition in (conditions if isinstance(conditions, list) else ())
        if "type" in condition
    }


def _is_true(status: Object, condition_type: str) -> bool:
    return any(
        condition.get("type") == condition_type and condition.get("status") == "True"
        for condition in status.get("conditions") or ()
    )


def _disrupted(state: Object) -> bool:
    condition = (state.get("conditions") or {}).get("DisruptionTarget")
    return condition is not None and condition[0] == "True"


def _containers(status: Object) -> tuple[dict[str, float], dict[str, int]]:
    """When each container started (also those that have ended since), and the exit codes of those that ended."""
    running: dict[str, float] = {}
    exited: dict[str, int] = {}
    for container in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        state = container.get("state") or {}
        ended = state.get("terminated")
        begun = (state.get("running") or ended or {}).get("startedAt")
        if begun:
            running[container["name"]] = unix(begun)
        if ended:
            exited[container["name"]] = ended.get("exitCode", 0)
    return running, exited


def _requests(container: Object) -> dict[str, int]:
    """A container's requests; a limit without a request is its request, as the API server defaults it."""
    resources = container.get("resources") or {}
    return {**millis(resources.get("limits")), **millis(resources.get("requests"))}


def _add(total: dict[str, int], amounts: Mapping[str, int]) -> None:
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + amount


def _phase_writer(meta: Object) -> str:
    """The program that wrote the phase of an object, from the fields that the API server keeps for each writer."""
    for entry in meta.get("managedFields") or ():
        if "f:phase" in ((entry.get("fieldsV1") or {}).get("f:status") or {}):
            return str(entry.get("manager", ""))
    return ""


def _taint(taint: Object) -> str:
    return f"{taint.get('key', '')}={taint.get('value', '')}:{taint.get('effect', '')}"
