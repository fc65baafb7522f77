"""Does every node have room for what is bound to it? The incremental half of the overbooking check.

Sums per node are kept up to date pod by pod, so a bind is judged in constant time however many pods a node has. Only
the bind that makes a node exceed is noted: a node that the case shrinks below what runs on it breaks no law.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.core.timeline import Overflow, Pod, Timeline


class Capacity:
    """What every node has and what is asked of it, at one moment of the walk."""

    __slots__ = ("_grace", "_line", "_removed", "_room", "_shrunk", "_unseen", "_used")

    def __init__(self, line: Timeline, grace: float) -> None:
        self._line = line
        self._grace = grace  # seconds after a node shrank in which a bind may not have known
        self._used: dict[str, dict[str, int]] = {}
        self._room: dict[str, Mapping[str, int]] = {}
        self._shrunk: dict[str, tuple[float, Mapping[str, int]]] = {}
        self._unseen: dict[str, int] = {}
        self._removed: set[str] = set()

    def node(self, name: str, room: Mapping[str, int] | None, now: float) -> None:
        """The node has this room from now on; None: it is gone."""
        if room is None:
            self._room.pop(name, None)
            self._removed.add(name)
            return
        before = self._room.get(name)
        if before == room:
            return
        if before is not None and any(room.get(key, 0) < amount for key, amount in before.items()):
            self._shrunk[name] = (now, before)
        self._room[name] = room
        self._unseen.pop(name, None)

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
            if node not in self._removed:
                self._unseen.setdefault(node, index)
            return
        over = _over(pod.request, used, room)
        if not over:
            return
        when, before = self._shrunk.get(node, (now, room))
        if before is not room and now <= when + self._grace and not _over(pod.request, used, before):
            self._line.raced += 1
            return
        self._line.overflows.append(Overflow(index, now, pod.name, node, over, used[over], room.get(over, 0)))

    def finish(self) -> None:
        """Binds to nodes that no record ever showed cannot be judged."""
        self._line.unseen = self._unseen


def _over(request: Mapping[str, int], used: Mapping[str, int], room: Mapping[str, int]) -> str:
    """The first requested resource of which more is used than there is; "" if there is none."""
    for name, amount in request.items():
        if amount and used.get(name, 0) > room.get(name, 0):
            return name
    return "pods" if "pods" in room and used["pods"] > room["pods"] else ""
