"""The second opinion on a history, and where the first differs from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from harness.core.history.records import History, Record, gang_keys
from harness.core.second import constraints, laws
from harness.core.second.facts import Facts
from harness.core.verdict import Outcome, Verdict, worst

ANSWERS = {"": Outcome.PASS, "wrong": Outcome.VIOLATED, "open": Outcome.UNKNOWN}


def second_opinion(history: History) -> dict[str, Outcome]:
    """The outcome of each check that this judge understands, for this history; no entry: it has no opinion.

    It has none on a history with gaps or without an end, on gangs that controllers made, and on binds to a removed
    node of which the scheduler may not have known.
    """
    binds = [record for record in history.records if record.source == "audit" and record.verb == "bind"]
    if not history.complete or history.gaps or any(record.state.get("code", 0) < 400 for record in binds):
        return {}
    facts = Facts(history)
    places = laws.binds(facts)
    strays = [laws.stray(facts, i) for i in places]
    over = [Outcome.VIOLATED for i in places if laws.overbooked(facts, i)]
    unseen = [Outcome.UNKNOWN for i in places if laws.is_unseen(facts, i)]
    opinion = {"overbooking": worst([Outcome.PASS, *strays, *over, *unseen])}
    if Outcome.UNKNOWN in strays:
        return {} if Outcome.VIOLATED in (*strays, *over) else opinion
    answers = {constraints.judge_bind(facts, i) for i in places}
    opinion["constraints"] = worst([Outcome.PASS, *(ANSWERS[answer] for answer in answers)])
    if not facts.others():
        opinion["atomic"] = worst([Outcome.PASS, *(laws.atomic(facts, unit) for unit in _units(facts))])
    promises = [(i, history.records[i]) for i in facts.actions("expect")]
    outcomes = [
        laws.bound(facts, i, gang)
        for i, record in promises
        if record.state["what"] == "bound"
        for gang in gang_keys(record)
    ]
    if all(record.state["what"] != "one-of" for _, record in promises):
        opinion["liveness"] = worst([Outcome.PASS, *outcomes])
    ordered = [laws.in_order(facts, i, gang_keys(record)) for i, record in promises if record.state["what"] == "order"]
    if all(len(list(facts.actions("submit", gang=gang))) == 1 for gang in facts.gangs()):
        opinion["order"] = worst([Outcome.PASS, *ordered])
        waiting = [(i, gang) for i, record in promises if _is_to_wait(record) for gang in gang_keys(record)]
        if any(laws.is_bound_in_spite(facts, i, gang) for i, gang in waiting):
            opinion["refused"] = Outcome.VIOLATED
    return opinion


def _is_to_wait(record: Record) -> bool:
    return record.state["what"] in ("refused", "unbound")


def disagreements(history: History, verdicts: Iterable[Verdict]) -> list[str]:
    """Where the verdicts of the checks are not what this judge says."""
    return _differences(second_opinion(history), {verdict.check: verdict.outcome for verdict in verdicts})


def _differences(second: Mapping[str, Outcome], first: Mapping[str, Outcome]) -> list[str]:
    return [
        f"{check} is {first[check]}, and by the second judge {outcome}"
        for check, outcome in second.items()
        if check in first and first[check] is not outcome
    ]


def _units(facts: Facts) -> list[tuple[str, ...]]:
    """The gangs that start together."""
    units: list[set[str]] = []
    for gang in facts.gangs():
        names = {gang}
        for i in facts.actions("submit", gang=gang):
            data = facts.history.records[i].state.get("gang") or {}
            names |= {name if "/" in name else f"{gang.partition('/')[0]}/{name}" for name in data.get("group", ())}
        touching = [unit for unit in units if unit & names]
        units = [unit for unit in units if unit not in touching] + [names.union(*touching)]
    return [tuple(sorted(unit)) for unit in units]
