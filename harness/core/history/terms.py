"""The terms in which an integration reports refusals and victims: names and defaults, and nothing of what they mean.

They are part of a history (its header has them), so they are described here, where both judges can read them. What
follows from them each judge decides for itself.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terms:
    """What counts as a refusal and what as an eviction; the defaults are the words of Kubernetes itself."""

    refusal_events: tuple[str, ...] = ("FailedScheduling",)  # reasons of events, whatever their type
    other_warnings: tuple[str, ...] = (
        "FailedCreate",
        "FailedMount",
        "FailedKill",
        "FailedAttach",
        "FailedDelete",
        "BackOff",
        "Unhealthy",
        "NodeNotReady",
    )  # how reasons of warnings begin that controllers and kubelets write; any other warning is a refusal
    group_words: tuple[str, ...] = ("unschedulable", "insufficient", "notenough", "timeout")
    # ^ parts of a group object's phase, or of the reason of a condition that is False, that mean "no room"
    group_conditions: tuple[str, ...] = ()  # further conditions of it that do: "Type=Status", "Type=Status (Reason)"
    group_tells_of_members: bool = False  # what the group object says is about all members, come or to come
    group_admits: tuple[str, ...] = ()  # conditions of it by which a gang is let in, and is yet to be placed by another
    group_victims: tuple[str, ...] = ()  # conditions of a group object by which its bound members are evicted, likewise
    gates_refuse: bool = False  # the scheduler itself keeps pods back by a scheduling gate, once it has looked at them
    victim_events: tuple[str, ...] = ("Preempted",)  # reasons of events about a pod that was evicted
    victim_conditions: tuple[str, ...] = ("DisruptionTarget",)  # conditions of a pod that is evicted
    other_disruptions: tuple[str, ...] = (
        "EvictionByEvictionAPI",
        "DeletionByTaintManager",
        "DeletionByPodGC",
        "TerminationByKubelet",
    )  # reasons of these conditions that name somebody else than the scheduler (KEP-3329)
    evictors: tuple[str, ...] = ("scheduler",)  # parts of the names of programs whose deletions of pods are evictions


TERMS_ONCE_SHARED = Terms(
    refusal_events=("FailedScheduling", "Unschedulable", "NotEnoughResources", "GangUnschedulable"),
    victim_events=("Preempted", "Evict"),
)  # of histories that were recorded when all integrations shared one list
