"""From the state of a replay to the things that a timeline shows.

What is a member, at quorum, refused or evicted was decided by the replay; here it only becomes bars in rows, marks,
lines and bands. Times are unix seconds, infinite for what lasted until the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil, inf

from harness.core.history.records import MARKER, Record
from harness.core.oracle.answers import recompute
from harness.core.oracle.facts import Action
from harness.core.oracle.incarnation import Incarnation, Pod
from harness.core.oracle.timeline import Node, Timeline
from harness.report.rows import Rows

_SHOWN = (
    *("submit", "create", "edit", "delete", "fence", "node-add", "node-remove", "node-change"),
    *("note", "restart", "crash"),
)
SAME_REFUSAL = 0.25  # seconds within which the same refusal of the same gang is one mark
_KINDS = {"member": 0, "placeholder": 1}
_STOPPED = {"kill": "killed", "pause": "paused", "restart": "restarted"}

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PodBar:
    """A pod on its node."""

    node: str
    pieces: list[tuple[int, int]]  # first row, number of rows
    gang: str
    since: float
    until: float
    kind: int  # 0 member, 1 placeholder, 2 other
    pod: str
    end: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at one moment."""

    at: float
    kind: str  # refused, evicted, bind-refused, failed
    gang: str
    node: str
    text: str
    piece: tuple[int, int] = (-1, 0)


@dataclass(frozen=True, slots=True)
class GangRow:
    """A gang over all its incarnations."""

    size: int
    quorum: int
    submitted: float  # the last time; infinite: only seen
    ended: float
    at_quorum: list[Span]


@dataclass(slots=True)
class CasePicture:
    """Everything there is to draw."""

    start: float
    end: float
    rows: dict[str, Rows] = field(default_factory=dict)  # by node
    troubles: dict[str, list[tuple[float, float, str]]] = field(default_factory=dict)  # by node
    gangs: dict[str, GangRow] = field(default_factory=dict)
    bars: list[PodBar] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    lines: list[tuple[float, str, str]] = field(default_factory=list)
    bands: list[tuple[float, float, str, str]] = field(default_factory=list)


def project(line: Timeline) -> CasePicture:
    """The picture of everything that the replay knows."""
    first = next((action for action in line.actions if action.record.verb in ("submit", "fence")), None)
    picture = CasePicture(line.begin, line.end)
    for name, node in line.nodes.items():
        if name in line.marker_nodes:
            continue  # muster's own, with room for its own pod alone
        picture.rows[name] = Rows(ceil(node.gpus))
        picture.troubles[name] = list(_troubles(node, first))
    drawn = _bars(line, picture)
    if first is not None:
        picture.start = min([first.now, *(bar.since for bar in picture.bars)])
    gangs = {bar.gang for bar in picture.bars}
    for key, incarnations in line.incarnations.items():
        if key in gangs or incarnations[-1].gang is not None:
            picture.gangs[key] = _gang(incarnations)
    marks = [*_refusals(line), *_evictions(line, drawn), *_refused_binds(line), *_failures(line)]
    picture.marks = sorted(marks, key=lambda mark: mark.at)
    picture.lines = [
        (action.now, action.record.verb, _text(action.record))
        for action in line.actions
        if action.record.verb in _SHOWN and action.now >= picture.start
    ]
    picture.bands = list(_bands(line))
    return picture


def _bars(line: Timeline, picture: CasePicture) -> dict[str, PodBar]:
    """Give every pod that was bound its rows, in the order in which pods came and went; bars by uid."""
    evicted = {eviction.uid for eviction in line.evictions}
    moves: list[tuple[int, bool, Pod]] = []
    for pod in line.pods.values():
        if pod.part == MARKER:
            continue
        if pod.since is not None:
            moves.append((pod.since.pos, True, pod))
        if pod.until is not None:
            moves.append((pod.until.pos, False, pod))
    drawn: dict[str, PodBar] = {}
    for _, comes, pod in sorted(moves, key=lambda move: move[:2]):
        rows = picture.rows.setdefault(pod.node, Rows(0))
        if comes:
            drawn[pod.uid] = _bar(pod, rows.take(pod.uid, ceil(pod.gpus)), pod.uid in evicted)
        else:
            rows.give_back(pod.uid)
    picture.bars = list(drawn.values())
    return drawn


def _bar(pod: Pod, pieces: list[tuple[int, int]], evicted: bool) -> PodBar:
    since = pod.since.now if pod.since is not None else 0.0
    until = pod.until.now if pod.until is not None else inf
    end = "evicted" if evicted and pod.end else pod.end
    return PodBar(pod.node, pieces, pod.gang, since, until, _KINDS.get(pod.part, 2), pod.record.name, end)


def _troubles(node: Node, first: Action | None) -> Iterator[tuple[float, float, str]]:
    if first is not None and node.since.pos > first.pos:
        yield -inf, node.since.now, "gone"
    for span in node.troubles:
        yield span.since, span.until, span.why


def _gang(incarnations: list[Incarnation]) -> GangRow:
    last = incarnations[-1]
    spans = [span for incarnation in incarnations for span in incarnation.quorum_spans()]
    submitted = last.begun_at if last.gang is not None else inf
    return GangRow(last.size, last.quorum or 0, submitted, last.ended_at, spans)


def _refusals(line: Timeline) -> Iterator[Mark]:
    for key, incarnations in line.incarnations.items():
        drawn: dict[str, float] = {}
        for refusal in (refusal for incarnation in incarnations for refusal in incarnation.refusals):
            if refusal.now - drawn.get(refusal.reason, -inf) > SAME_REFUSAL:
                drawn[refusal.reason] = refusal.now
                yield Mark(refusal.now, "refused", key, "", f"{refusal.reason}: {refusal.message}".removesuffix(": "))


def _evictions(line: Timeline, drawn: dict[str, PodBar]) -> Iterator[Mark]:
    for eviction in line.evictions:
        pod = line.pods[eviction.uid]
        bar = drawn.get(eviction.uid)
        text = f"{pod.record.name} evicted ({eviction.how})"
        yield Mark(eviction.now, "evicted", pod.gang, pod.node, text, bar.pieces[0] if bar is not None else (-1, 0))


def _refused_binds(line: Timeline) -> Iterator[Mark]:
    for action in line.refused_binds:
        record = action.record
        pod = line.pods.get(record.uid) or line.names.get((record.namespace, record.name))
        text = f"bind of {record.name} refused ({record.state.get('code', 0)}): {record.state.get('message', '')}"
        gang = pod.gang if pod is not None else ""
        yield Mark(action.now, "bind-refused", gang, str(record.state.get("node", "")), text)


def _failures(line: Timeline) -> Iterator[Mark]:
    for _, record in line.claims:
        if recompute(record.state) is not True:
            yield Mark(record.at, "failed", "", "", str(record.state.get("sentence", "")))


def _bands(line: Timeline) -> Iterator[tuple[float, float, str, str]]:
    for down in line.downs:
        kind = "paused" if down.verb == "pause" else "down"
        yield down.since, down.until, kind, f"{down.process} {_STOPPED[down.verb]}"
    for stall in line.stalls:
        yield stall.since, stall.until, "down", f"{stall.who} stood still"
    for lost in line.lost:
        if lost.record.source == "gap":
            yield lost.now, lost.now, "gap", f"changes of {lost.record.kind} were lost here"


def _text(record: Record) -> str:
    state = record.state
    if record.verb == "crash":
        return f"{record.name} crashed ({state.get('ending', '')})"
    if record.verb == "note":
        return str(state.get("text", ""))[:240]
    if record.verb == "submit":
        fields = state.get("gang") or {}
        size, quorum = fields.get("size") or 1, fields.get("quorum")
        return f"submit {record.name}, {f'{quorum} of ' if quorum and quorum != size else ''}{size}"
    things = state.get("nodes") or state.get("members") or [record.name]
    names = ", ".join(map(str, things[:4])) + (f" and {len(things) - 4} more" if len(things) > 4 else "")
    return f"{record.verb.replace('-', ' ')} {names}".strip()
