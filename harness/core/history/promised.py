"""What cannot be among the promises of a history: cases make them through muster, about gangs that they submitted."""

from __future__ import annotations

from collections.abc import Iterator

from harness.core.gang import gang_from_record
from harness.core.history.fault import Fault, is_number, short
from harness.core.history.records import History, Record, gang_key, gang_keys

MOST_MEMBERS = 100_000  # of one gang
PROMISES = frozenset(
    ("bound", "one-of", "refused", "unbound", "released", "gone", "untouched", "order", "barrier")
)  # docs/reference/history.md
LOAD = "bench-"  # the names of measurements of load begin so: their deadline follows from the number of pods


def broken_promises(history: History) -> Iterator[Fault]:
    """Promises and submissions that no case can have made."""
    actions = [(number, record) for number, record in enumerate(history.records, 1) if record.source == "action"]
    submitted = {gang_key(record.namespace, record.name) for _, record in actions if record.verb == "submit"}
    longest = _longest(history)
    for number, record in actions:
        problems: Iterator[str] = iter(())
        if record.verb == "expect":
            problems = _promise(record, submitted, longest)
        elif record.verb == "submit":
            problems = _gang(record)
        yield from (Fault("promise", f"record {number}", problem) for problem in problems)


def _longest(history: History) -> float:
    """The longest time within which anything can be promised."""
    deadlines = history.header.get("deadlines") or {}
    if not isinstance(deadlines, dict) or history.case.startswith(LOAD):
        return float("inf")
    numbers = [float(value) for value in deadlines.values() if is_number(value)]
    return max(numbers, default=float("inf"))


def _promise(record: Record, submitted: set[str], longest: float) -> Iterator[str]:
    what, within = record.state.get("what"), record.state.get("within")
    if not isinstance(what, str) or what not in PROMISES:
        yield f"the promise {what!r} is none that muster knows"
    if within is not None and (not is_number(within) or within < 0):
        yield f"the promise {what!r} is to hold within {within!r} seconds"
    elif within is not None and within > longest * 1.000001:
        yield f"the promise {what!r} is to hold within {within:g} s, and no deadline is longer than {longest:g} s"
    gangs = record.state.get("gangs")
    if gangs is not None and not (isinstance(gangs, list) and all(isinstance(gang, str) for gang in gangs)):
        yield f"the promise {what!r} is about {short(gangs)}, not about gangs"
        return
    keys = gang_keys(record)
    if not keys:
        yield f"the promise {what!r} is about no gang"
    for key in keys:
        if key not in submitted:
            yield f"the promise {what!r} is about {key}, which was never submitted"


def _gang(record: Record) -> Iterator[str]:
    data = record.state.get("gang") or {}
    try:
        gang = gang_from_record({"name": record.name, **data})
    except Exception as error:
        yield f"the gang {record.name} cannot be read: {short(error)}"
        return
    for name, value in (("size", gang.size), ("quorum", gang.minimum), ("gpus", gang.gpus)):
        if not isinstance(value, int) or not 0 <= value <= MOST_MEMBERS:
            yield f"the gang {record.name} has {name} {short(value)}"
