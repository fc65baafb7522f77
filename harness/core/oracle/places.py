"""Where pods are: claims about their nodes, or the domains of a node label, are judged again from the history.

The state of the replay has when each pod came to its node and when it left. So the places at the moment of a claim are
found again, and the record after which they were not any more as they must be is known: a bind, mostly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from harness.core.history.records import Record
from harness.core.oracle.condition import fulfils
from harness.core.oracle.incarnation import Pod
from harness.core.oracle.timeline import Timeline

KEY = "places"  # of a claim's state

Labels = Mapping[str, Mapping[str, str]]  # node -> its labels


@dataclass(frozen=True, slots=True)
class Places:
    """The nodes of these pods, and of the members of these gangs or of one role of them, or what those are labelled."""

    gangs: Sequence[str] = ()  # namespace/name
    pods: Sequence[str] = ()  # namespace/name
    role: str = ""
    label: str = ""  # of nodes; empty: the nodes themselves

    def values(self, line: Timeline, labels: Labels, last: int) -> list[str]:
        """Where pods stood after record `last`, each place once."""
        return self._values([pod for pod in self._counted(line) if _stands(pod, last)], labels)

    def broken_since(self, line: Timeline, labels: Labels, last: int, condition: Mapping[str, Any]) -> int | None:
        """The record with which the places ceased to be right and did not become so again up to `last`.

        None if they are right; `last` itself if they never were: then nothing broke the claim, it did not come true.
        """
        pods, broke, once = self._counted(line), None, False
        changes = sorted({pos for pod in pods for pos in pod.placements if pos <= last})
        for pos in changes:
            if fulfils(self._values([pod for pod in pods if _stands(pod, pos)], labels), condition):
                broke, once = None, True
            elif broke is None:
                broke = pos
        if not changes:
            return None if fulfils([], condition) else last
        return broke if broke is None or once else last

    def as_record(self) -> dict[str, Any]:
        """What the history keeps."""
        return {key: value for key, value in asdict(self).items() if value}

    def _counted(self, line: Timeline) -> list[Pod]:
        gangs, names = set(self.gangs), set(self.pods)
        return [
            pod
            for pod in line.pods.values()
            if pod.name in names
            or (pod.part == "member" and pod.gang in gangs and (not self.role or pod.role == self.role))
        ]

    def _values(self, pods: Sequence[Pod], labels: Labels) -> list[str]:
        nodes = {pod.node for pod in pods}
        return sorted({str(labels.get(node, {}).get(self.label)) for node in nodes} if self.label else nodes)


def places_of(state: Mapping[str, Any]) -> Places | None:
    """The places that the claim is about; None if there are none, TypeError or ValueError if that cannot be read."""
    data = state.get(KEY)
    if data is None:
        return None
    places = Places(**data)
    names = (*places.gangs, *places.pods)
    if not names or not all(isinstance(name, str) for name in (*names, places.role, places.label)):
        raise ValueError("it does not name whose places it is about")
    return places


def node_labels(records: Iterable[Record]) -> dict[str, Mapping[str, str]]:
    """The labels of each node, as its latest of these records has them."""
    return {record.name: record.state.get("labels") or {} for record in records if record.kind == "Node"}


def _stands(pod: Pod, last: int) -> bool:
    """Whether the pod was placed after record `last`."""
    return sum(pos <= last for pos in pod.placements) % 2 == 1
