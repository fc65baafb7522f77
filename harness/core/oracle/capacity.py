"""Does every node have room for what is bound to it? The incremental half of the overbooking check.

Sums per node are kept up to date pod by pod, so a bind is judged in constant time however many pods a node has. Only
the bind that makes a node exceed is noted: a node that the case shrinks below what runs on it breaks no law.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from harness.core.oracle.facts import Moment, Overflow, Stray
from harness.core.oracle.incarnation import Pod
from harness.core.oracle.timeline import Timeline

EVIDENCE = ("fence", "marker")  # pods of muster's own, of which nothing is asked but to be bound


class Capacity:
    """What every node has and what is asked of it, after the latest record."""

    __slots__ = ("_line", "_removed", "_room", "_shrunk", "_used")

    def __init__(self, line: Timeline) -> None:
        self._line = line
        self._used: dict[str, dict[str, int]] = {}
        self._room: dict[str, Mapping[str, int]] = {}
        self._shrunk: dict[str, tuple[Moment, Mapping[str, int]]] = {}  # when, and the room before
        self._removed: dict[str, Moment] = {}

    def node(self, name: str, room: Mapping[str, int] | None, index: int, now: float) -> None:
        """The node has this room from now on; None: it is gone."""
        if room is None:
            self._room.pop(name, None)
            self._removed[name] = Moment(index, now)
            return
        before = self._room.get(name)
        if before == room:
            return
        if before is not None and any(room.get(key, 0) < amount for key, amount in before.items()):
            self._shrunk[name] = (Moment(index, now), before)
        self._room[name] = room
        self._line.unseen.pop(name, None)  # binds to nodes that no record ever showed cannot be judged

    def load(self, pod: Pod, node: str, standing: bool, request: Mapping[str, int]) -> None:
        """Add to the node's sum, or take from it, what the pod asks for; `pod` still shows how it was before."""
        used = self._used.get(node)
        if used is None:
            used = self._used[node] = {"pods": 0}
        if pod.standing:
            used["pods"] -= 1000
            for name, amount in pod.request.items():
                used[name] -= amount
        if standing:
            used["pods"] += 1000
            for name, amount in request.items():
                used[name] = used.get(name, 0) + amount

    def judge(self, pod: Pod, node: str, index: int, now: float) -> None:
        """The pod was bound to the node just now: note it if the node has no room for it."""
        self._line.loads += 1
        room, used = self._room.get(node), self._used[node]
        if room is None:
            if (removed := self._removed.get(node)) is None:
                self._line.unseen.setdefault(node, index)
            else:
                is_informed = self._line.knew(pod.scheduler, removed.pos, index)
                gang, is_evidence = str(pod.record.state.get("gang", "")), pod.part in EVIDENCE
                self._line.strays.append(Stray(index, now, pod.name, node, removed, is_informed, gang, is_evidence))
            return
        over = _over(pod.request, used, room)
        if not over:
            return
        allowed = self._allowed(pod, node, room, used)
        self._line.overflows.append(Overflow(index, now, pod.name, node, over, used[over], room.get(over, 0), allowed))

    def _allowed(self, pod: Pod, node: str, room: Mapping[str, int], used: Mapping[str, int]) -> float:
        """Until when the node had room for the pod: before it shrank, or before others brought pods to it.

        That it shrank is no excuse where a marker was bound before the pod was there: all that was decided of the pod
        was decided after that.
        """
        if node in self._shrunk:
            shrunk, before = self._shrunk[node]
            if not self._line.knew(pod.scheduler, shrunk.pos, pod.born) and not _over(pod.request, used, before):
                return shrunk.now
        left = dict(used)
        others = (other for other in self._line.pods.values() if other.standing and other.node == node)
        for came, other in sorted(((other.came_unseen(pod), other) for other in others), key=_latest_first):
            for name, amount in {**other.request, "pods": 1000}.items():
                left[name] -= amount
            if not _over(pod.request, left, room):
                return came
        return -inf


def _latest_first(entry: tuple[float, Pod]) -> float:
    return -entry[0]


def _over(request: Mapping[str, int], used: Mapping[str, int], room: Mapping[str, int]) -> str:
    """The first requested resource of which more is used than there is; "" if there is none."""
    for name, amount in request.items():
        if amount and used.get(name, 0) > room.get(name, 0):
            return name
    return "pods" if "pods" in room and used["pods"] > room["pods"] else ""
