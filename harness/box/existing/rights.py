"""The rights that muster needs in a user's cluster, as one table: for the role that it prints, and to be checked.

`muster cluster role` prints the table as a ClusterRole. Before a run creates anything, it asks the API server for every
right by a SelfSubjectAccessReview, so a missing one is named at once and not by a case that fails half-way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from harness.box.api import Api, Object
from harness.core.kinds import Kind

ROLE = "muster"
READ = ("get", "list", "watch")
WRITE = ("create", "patch", "delete")
ALL = (*READ, *WRITE, "deletecollection")


@dataclass(frozen=True, slots=True)
class Right:
    """Some verbs on some resources of one API group, and why."""

    group: str
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    why: str


BASIC = (
    Right("", ("namespaces",), (*READ, *WRITE), "every case has a namespace of its own"),
    Right("", ("pods", "configmaps"), (*ALL, "update"), "members of gangs, and how nodes play them"),
    Right("", ("pods/status",), ("patch", "update"), "fake nodes play their pods"),
    Right("", ("pods/binding",), ("create",), "cases in which a bind is refused ask, without effect, whether it is"),
    Right("", ("nodes",), (*ALL, "update"), "own nodes are made, changed and removed"),
    Right("", ("nodes/status",), ("patch", "update"), "own nodes have GPU-like resources"),
    Right("", ("events",), READ, "schedulers give their reasons there"),
    Right(
        "", ("serviceaccounts", "resourcequotas"), ("get", "list"), "pods need one; quotas of others stay as they are"
    ),
    Right("", ("events",), ("create", "patch"), "fake nodes report as kubelets do"),
    Right(
        "coordination.k8s.io",
        ("leases",),
        ("create", "get", "list", "watch", "patch", "update", "delete"),
        "fake nodes renew theirs",
    ),
    Right(
        "apps",
        ("deployments", "daemonsets", "statefulsets"),
        ("get", "list"),
        "what runs in the cluster is named in the report",
    ),
    Right("batch", ("jobs",), ALL, "gangs that a Job makes"),
    Right("apps", ("deployments", "statefulsets"), WRITE, "gangs that a Deployment or StatefulSet makes"),
    Right("policy", ("poddisruptionbudgets",), ALL, "cases about guarded pods"),
    Right("scheduling.k8s.io", ("priorityclasses",), ALL, "cases about priorities, with classes of their own"),
    Right("node.k8s.io", ("runtimeclasses",), ALL, "cases about the overhead of pods"),
    Right("", ("persistentvolumes", "persistentvolumeclaims"), ALL, "cases about volumes"),
    Right("storage.k8s.io", ("storageclasses",), ALL, "cases about volumes"),
    Right(
        "resource.k8s.io",
        ("deviceclasses", "resourceclaims", "resourceclaimtemplates", "resourceslices"),
        ALL,
        "cases about devices, on own nodes",
    ),
    Right(
        "admissionregistration.k8s.io",
        ("validatingadmissionpolicies", "validatingadmissionpolicybindings"),
        ALL,
        "cases in which a bind is refused, in the case's namespace only",
    ),
    Right("apiextensions.k8s.io", ("customresourcedefinitions",), ("get", "list"), "versions of the gang's API"),
)


def needed(kinds: Iterable[Kind]) -> tuple[Right, ...]:
    """All rights for an integration whose gangs are made of objects of these kinds."""
    return (*BASIC, *of_gangs(kinds))


def of_gangs(kinds: Iterable[Kind]) -> tuple[Right, ...]:
    """The rights for these kinds of objects alone, which only one integration needs."""
    return tuple(
        Right(kind.api_version.rpartition("/")[0], (kind.plural,), ALL, "gangs of this integration")
        for kind in sorted(set(kinds), key=lambda kind: (kind.api_version, kind.plural))
    )


def role(rights: Iterable[Right]) -> Object:
    """The rights as a ClusterRole."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": ROLE},
        "rules": [
            {"apiGroups": [right.group], "resources": list(right.resources), "verbs": list(right.verbs)}
            for right in rights
        ],
    }


def missing(api: Api, rights: Iterable[Right]) -> list[str]:
    """The rights that the user of this client does not have, each in words."""
    with ThreadPoolExecutor(8) as workers:
        answers = workers.map(lambda question: (question, _is_allowed(api, *question[:3])), _questions(rights))
        return [
            f"{verb} {_written(group, resource)} ({why})" for (group, resource, verb, why), yes in answers if not yes
        ]


def _questions(rights: Iterable[Right]) -> Iterator[tuple[str, str, str, str]]:
    for right in rights:
        for resource in right.resources:
            for verb in right.verbs:
                yield right.group, resource, verb, right.why


def _is_allowed(api: Api, group: str, resource: str, verb: str) -> bool:
    name, _, subresource = resource.partition("/")
    attributes = {"group": group, "resource": name, "subresource": subresource, "verb": verb}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    answer = api.request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review)
    return bool((answer.get("status") or {}).get("allowed"))


def _written(group: str, resource: str) -> str:
    return f"{resource}.{group}" if group else resource
