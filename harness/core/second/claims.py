"""What cases saw for themselves, judged once more from the evidence that each claim keeps.

Every question looks at all records up to the claim: which pods stood then and where. Of a claim that keeps nothing this
judge, too, can only believe what is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.core.history.records import Record
from harness.core.second.facts import Facts, is_placed
from harness.core.verdict import Outcome, worst

SAYS_NOTHING = (0, 429, 503, 504)  # the API server could not be reached, or had no time
SAYS_NO = (400, 403, 404, 422)
NUMBERS, LISTS = ("count", "least", "most"), ("within", "includes", "excludes")
MOST = 1000  # entries that a condition may name
Test = Callable[[Any, Any], bool]


def assertions(facts: Facts) -> Outcome:
    """The worst of all claims."""
    return worst([Outcome.PASS, *(claimed(facts, i) for i in facts.actions("claim"))])


def claimed(facts: Facts, i: int) -> Outcome:
    """Whether the claim in record i holds: a claim that is stored as another one than its evidence shows never does."""
    state = facts.history.records[i].state
    stored = state.get("held")
    try:
        shown = shows(facts, i, state, stored)
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
        return Outcome.UNKNOWN
    if shown is False:
        return Outcome.VIOLATED
    return Outcome.PASS if shown is True and stored is True else Outcome.UNKNOWN


def shows(facts: Facts, i: int, state: Mapping[str, Any], stored: Any) -> bool | None:
    """What the evidence of a claim shows; None: nothing."""
    for name, is_so in (("standing", in_number), ("places", in_place)):
        if (asked := state.get(name)) is not None:
            return stored and is_so(facts, i, state, asked) if isinstance(stored, bool) else None
    if "condition" in state:
        return is_as_asked(state["value"], state["condition"])
    answer = state.get("answer")
    if isinstance(answer, Mapping) and state.get("expected") in ("accepted", "refused"):
        return answered(state, int(answer.get("code", 0)), str(answer.get("message", "")))
    return stored if isinstance(stored, bool) else None


def answered(state: Mapping[str, Any], code: int, message: str) -> bool | None:
    is_refusal = code in SAYS_NO
    if state["expected"] == "accepted":
        return True if code // 100 == 2 else False if is_refusal else None
    if code in SAYS_NOTHING:
        return None
    return is_refusal and str(state.get("mention", "")).lower() in message.lower()


# -- pods


def pods_at(facts: Facts, i: int, asked: Mapping[str, Any]) -> list[Record]:
    """The latest records of the pods that are meant and are placed after record i."""
    names, gangs, role = list(asked.get("pods", ())), list(asked.get("gangs", ())), asked.get("role", "")
    if (not names and not gangs) or not all(isinstance(name, str) for name in [*names, *gangs]):
        raise ValueError("it does not name what it is about")
    records = []
    for pod in facts.courses.values():
        is_named = f"{pod.first.namespace}/{pod.first.name}" in names
        is_member = pod.first.state.get("part") == "member" and pod.first.state.get("gang") in gangs
        has_role = not role or pod.first.state.get("role", "") == role
        record = facts.state(pod, i)
        if (is_named or (is_member and has_role)) and record is not None and is_placed(record):
            records.append(record)
    return records


def in_number(facts: Facts, i: int, state: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    least, most = asked.get("least", 0), asked.get("most")
    is_readable = set(asked) <= {"gangs", "pods", "least", "most"} and min(least, most or 0) >= 0
    if not is_readable or not all(isinstance(number, int) for number in (least, most or 0)):
        raise ValueError("it has no numbers")
    number = len(pods_at(facts, i, asked))
    return bool(least <= number and (most is None or number <= most))


def in_place(facts: Facts, i: int, state: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    if not set(asked) <= {"gangs", "pods", "role", "label"}:
        raise ValueError("it does not name whose places it is about")
    nodes = {str(record.state["node"]) for record in pods_at(facts, i, asked)}
    if label := asked.get("label"):
        latest = {record.name: record for record in facts.history.records[: i + 1] if record.kind == "Node"}
        labels = {name: record.state.get("labels") or {} for name, record in latest.items()}
        nodes = {str(labels.get(node, {}).get(label)) for node in nodes}
    return is_as_asked(sorted(nodes), state["condition"])


# -- values


def size(value: Any) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else len(value)


TESTS: Mapping[str, Test] = {
    "equals": lambda value, asked: bool(value == asked),
    "differs": lambda value, asked: bool(value != asked),
    "count": lambda value, asked: size(value) == asked,
    "least": lambda value, asked: size(value) >= asked,
    "most": lambda value, asked: size(value) <= asked,
    "within": lambda value, asked: all(item in asked for item in value),
    "includes": lambda value, asked: all(item in value for item in asked),
    "excludes": lambda value, asked: not any(item in asked for item in value),
}


def is_as_asked(value: Any, condition: Mapping[str, Any]) -> bool:
    """Whether a value that was kept is as its condition says; a value that was not there is not."""
    if not condition:
        raise ValueError("nothing is asked")
    for word, asked in condition.items():
        is_number = isinstance(asked, int | float) and not isinstance(asked, bool)
        is_list = isinstance(asked, list | tuple | dict | set) and len(asked) <= MOST
        if (word in NUMBERS and not is_number) or (word in LISTS and not is_list):
            raise ValueError(f"{word} cannot be read")
    tests = [(TESTS[word], asked) for word, asked in condition.items()]
    return value is not None and all(test(value, asked) for test, asked in tests)
