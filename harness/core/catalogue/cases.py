"""What a case declares about itself before it is written.

The declaration is data: the list of cases, the clause coverage, the report and the selection by profile are all made
from it, so a case says each thing once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.core.catalogue.features import FEATURES
from harness.core.catalogue.script import Script
from harness.core.catalogue.versions import check_range, in_range
from harness.core.errors import HarnessError

PROFILES = {
    "GANG-CORE": "What any gang scheduler must do.",
    "GANG-CONTENTION": "Gangs that compete for the same room.",
    "GANG-PREEMPTION": "Gangs of different priority.",
    "GANG-TIMEOUT": "Gangs that wait too long.",
    "GANG-LIFECYCLE": "Gangs that change, shrink, grow and end.",
    "GANG-RECOVERY": "Gangs while processes and nodes fail.",
    "GANG-TOPOLOGY": "Gangs that must stay close together.",
    "GANG-QUEUE": "Gangs in queues with limits.",
    "GANG-OWNERS": "Gangs as users submit them: Jobs, Deployments, StatefulSets, and jobs of vendors.",
    "WORKLOAD-API": "Validation and semantics of the native API.",
    "KOORDINATOR": "Modes, gang groups and timeouts of Koordinator's design.",
    "LWS": "Gangs of leaders and workers, from the LeaderWorkerSet controller.",
    "JOBSET-GANG": "Gangs of JobSets, from a controller that writes their Workloads.",
    "JOBSET-BARRIER": "JobSets whose pods wait for each other inside their init containers.",
    "JOBSET-REFERENCE": "What muster's own controllers of JobSets promise beyond the designs.",
    "KAR-0053": "The gang test plan of the CNCF AI conformance programme.",
}
LEVELS = ("core", "extended")
DISTURBANCES = {  # each needs a box that allows it, and includes those before it
    "nodes": "changes or removes nodes of its own",
    "scheduler": "kills, pauses or restarts the scheduler",
    "control-plane": "kills, pauses or restarts other programs of the cluster, or changes their flags",
}
STRENGTHS = ("MUST", "SHOULD", "MAY", "OBSERVE")


def strength_of(sentence: str) -> str:
    """The strongest of the words MUST, SHOULD and MAY in a case's sentence; without any it observes and reports."""
    return next((word for word in ("MUST", "SHOULD", "MAY") if word in sentence), "OBSERVE")


@dataclass(frozen=True, slots=True)
class Case:
    """One case: an id, one sentence, and what it needs."""

    id: str
    sentence: str
    folder: str
    clauses: tuple[str, ...] = ()
    needs: tuple[str, ...] = ("gang",)
    profile: str = "GANG-CORE"
    level: str = "core"
    strength: str = "MUST"
    disturbs: str = ""  # what it disturbs besides its own gangs, of DISTURBANCES; empty: nothing
    slow: bool = False  # waits for a timeout of minutes
    fresh: bool = False  # the integration is restarted before it: what it remembers of former cases must not decide
    kubernetes: str = ""  # versions for which its clauses hold, such as ">=1.36,<1.37"; empty: all
    promises: tuple[str, ...] = ()  # kinds of promises that its code makes if it runs to its end
    script: Script = field(default_factory=Script)  # what else its code says about the histories of its runs
    either: tuple[str, ...] = ()  # features of which the integration claims one; the case judges that one

    def __post_init__(self) -> None:
        for what, value, allowed in (
            ("profile", self.profile, PROFILES),
            ("level", self.level, LEVELS),
            ("strength", self.strength, STRENGTHS),
            ("disturbance", self.disturbs, ("", *DISTURBANCES)),
        ):
            if value not in allowed:
                raise HarnessError(f"case {self.id}: {what} {value!r} is none of {', '.join(allowed)}")
        check_range(self.kubernetes, f"case {self.id}")
        for feature in (*self.needs, *self.either):
            if feature not in FEATURES:
                raise HarnessError(f"case {self.id}: needs the unknown feature {feature!r}")
        if self.strength in ("MUST", "SHOULD") and self.strength not in self.sentence:
            raise HarnessError(f"case {self.id}: its sentence does not say {self.strength}")

    @property
    def disruptive(self) -> bool:
        """Whether it disturbs programs that other cases use too."""
        return self.disturbs in ("scheduler", "control-plane")

    def lacks(self, features: frozenset[str]) -> tuple[str, ...]:
        """The features it needs that are not among these."""
        return tuple(feature for feature in self.needs if feature not in features)

    def unmet(self, title: str, features: frozenset[str], kubernetes: str) -> str:
        """Why an integration of this title cannot be held to it; empty if it can."""
        if missing := self.lacks(features):
            return f"{title} does not claim {', '.join(missing)}"
        if self.either and features.isdisjoint(self.either):
            return f"{title} claims neither {' nor '.join(self.either)}"
        if not in_range(kubernetes, self.kubernetes):
            return f"its clauses hold for Kubernetes {self.kubernetes}, this is {kubernetes}"
        return ""
