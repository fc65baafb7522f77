"""The features that a gang scheduler can have: a case lists what it needs, an adapter lists what it has.

A case that needs a feature which the integration does not claim is `not-supported`. That is a result, not a skip. The
names are defined here only; a test fails if a case or an adapter uses another name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from harness.core.errors import HarnessError
from harness.core.text import nearest

FEATURES: Mapping[str, str] = {
    "gang": "Members are placed all or not at all.",
    "quorum": "A gang may start with fewer members than it has.",
    "roles": "Members of one gang may ask for different amounts.",
    "role-minima": "Each role of a gang has a minimum of its own.",
    "group-object": "A gang has an API object of its own, beside its pods.",
    "group-status": "The status of the gang's object says whether the gang was placed.",
    "group-first": "Pods whose group object does not exist yet wait for it.",
    "quorum-edit": "The quorum of a gang that exists can be changed.",
    "starts-anew": "A gang whose members are all gone is placed whole again when they come back.",
    "total": "A gang can declare what it needs in total, and is not begun before there is room for that.",
    "timeout": "How long a partial gang may hold resources can be set per gang.",
    "timeout-fails-gang": "A gang that is out of time fails for good instead of being tried again.",
    "timeout-marks-gang": "The members of a gang that is out of time are marked, and are not placed again.",
    "default-timeout": "How long gangs may hold resources that do not say so is a setting of the scheduler.",
    "instant-refusal": "A gang that cannot start is given up at once and holds nothing while it waits.",
    "queue-order": "Waiting gangs are taken by priority, then by the age of their declaration.",
    "member-priority": "Members of one gang may differ in priority, and the higher ones go first.",
    "nominates": "Placed members are nominated to their nodes before they are bound.",
    "hints-at-limits": "A refusal says where a placement may have been missed.",
    "priority": "Among pending gangs the one of higher priority goes first.",
    "preemption": "A gang may evict pods of lower priority.",
    "gang-disruption": "A gang can demand that preemption takes all of it or nothing.",
    "queue": "Gangs are submitted to queues with limits.",
    "borrowing": "A queue may use the unused shares of other queues.",
    "reclaim": "A queue takes back by eviction what others have borrowed of its share.",
    "queued-job": "A gang can be a Job that its queue holds back until it may start (style `job`).",
    "gives-up": "A gang that was let in and does not run whole in time gives everything back and waits again.",
    "annotations": "A gang can be declared by annotations of its pods alone (style `annotations`).",
    "pod-terms": "The pods of a gang can state its terms themselves, beside a group object or instead of one.",
    "gang-group": "Several gangs can demand to start together.",
    "stated-size": "A gang can state how many members it has in all, beside its quorum.",
    "match-policy": "A gang can state which members count: waiting ones, running ones too, or none once it started.",
    "pod-affinity": "Members may ask for other pods near them, or exclude them, by required affinity.",
    "spread": "Members may demand to be spread over domains of nodes.",
    "host-ports": "Members may take ports of their hosts.",
    "volumes": "Members may use volumes that are chosen together with their node.",
    "devices": "Members may claim devices by dynamic resource allocation.",
    "topology": "All members of a gang can be kept within one domain of a node label.",
    "role-topology": "All members of one role can be kept within one domain of a node label, each role in its own.",
    "basic-policy": "A group can be declared whose members are placed one by one.",
    "workload-object": "A Workload object describes the groups of an application.",
    "replica-key": "One group description serves several replicas, each a gang of its own.",
    "soft": "A gang can fall back to placing members one by one when its time is over.",
    "nonstrict": "A gang can keep what it has while its other members are tried again.",
    "stale-eviction": "A gang that stays below its quorum is evicted whole after a grace period (style of that name).",
    "consolidation": "Running pods are moved where that makes room for a gang, and run again elsewhere.",
    "leader-worker-set": "The replicas of a LeaderWorkerSet are gangs.",
    "lws-group-object": "Each replica of a LeaderWorkerSet has a PodGroup.",
    "lws-min-resources": "A leader that starts before its workers waits until there is room for all of them.",
    "lws-pods-only": "The pods of a LeaderWorkerSet alone describe its gangs; there is no PodGroup.",
    "lws-switch": "Gangs of LeaderWorkerSets can be turned off in the controller.",
    "jobset-gang": "A JobSet says in its gangConfig which of its pods are gangs.",
    "jobset-barrier": "A JobSet can hold its pods in an init container until all have started.",
    "jobset-reference": "The controller of JobSets is muster's own, with its names, refusals and messages.",
    "restart-safe": "Placed gangs survive a restart of the scheduler.",
    "tells-members": "Each member of a refused gang has the refusal in its own status.",
    "quorum-first": "Room goes to the quorum of a waiting gang before the surplus of a running one.",
    "vcjob": "A gang can be a Job of Volcano with tasks, policies and a queue (style `vcjob`).",
    "job-gang": "A Job is a gang, with what the documentation asks for.",
    "job-apart": "The pods of a Job are placed one by one, as the documentation says.",
    "set-gang": "A Deployment or StatefulSet is a gang, with what the documentation asks for.",
    "set-apart": "The pods of a Deployment are placed one by one, as the documentation says.",
    "counts-succeeded": "Members that have succeeded count towards the quorum.",
    "forgets-succeeded": "Members that have succeeded do not count towards the quorum.",
    "counts-failed": "Members that have failed count towards the quorum.",
    "forgets-failed": "Members that have failed do not count towards the quorum.",
    "counts-leaving": "Members that are being deleted count towards the quorum until they are gone.",
    "forgets-leaving": "Members that are being deleted do not count towards the quorum.",
    "refills-singly": "A gang that has started takes in new members one by one, even below its quorum.",
    "refills-whole": "A gang that fell below its quorum takes in new members when they make the quorum again.",
}


class Choice(NamedTuple):
    """A question that designs leave open: an integration answers it by the feature that it claims, with its source."""

    question: str
    features: tuple[str, ...]  # an integration claims at most one of these


CHOICES: tuple[Choice, ...] = (
    Choice("Do members that have succeeded count towards the quorum?", ("counts-succeeded", "forgets-succeeded")),
    Choice("Do members that have failed count towards the quorum?", ("counts-failed", "forgets-failed")),
    Choice("Do members that are being deleted count towards the quorum?", ("counts-leaving", "forgets-leaving")),
    Choice("How does a gang that lost members take in new ones?", ("refills-singly", "refills-whole")),
    Choice("Is a plain Job a gang?", ("job-gang", "job-apart")),
    Choice("Is a Deployment or a StatefulSet a gang?", ("set-gang", "set-apart")),
    Choice("Does the quorum of a waiting gang go before the surplus of a running one?", ("quorum-first",)),
)
ANSWERS = frozenset(feature for choice in CHOICES for feature in choice.features)
# ^ an integration that gives the other answer lacks nothing


def check_features(integration: str, claimed: Iterable[str]) -> None:
    """HarnessError for a feature that no case can ask for, most likely misspelt."""
    for name in sorted(set(claimed) - set(FEATURES)):
        raise HarnessError(
            f"{integration} claims the unknown feature {name!r}",
            hint=f"{nearest(name, FEATURES)}See core/catalogue/features.py.",
        )
