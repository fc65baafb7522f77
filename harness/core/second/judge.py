"""The second opinion on a history, and where the first differs from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from harness.core.history.records import PLAIN_KINDS, History, Record, gang_keys
from harness.core.second import claims, constraints, endings, evidence, laws, preemption, starts
from harness.core.second.facts import Facts
from harness.core.verdict import Outcome, Verdict, worst

SIDE_KINDS = PLAIN_KINDS - {"Pod"}  # if their watch was lost, only overbooking and constraints cannot tell
ANSWERS = {"": Outcome.PASS, "wrong": Outcome.VIOLATED, "open": Outcome.UNKNOWN}


def second_opinion(history: History) -> dict[str, Outcome]:
    """The outcome of each check that this judge understands, for this history; no entry: it has no opinion.

    It has one on crashes and on assertions always. On refusals, preemption, held resources, cleanup and barriers it has
    none

    - where the watch of pods or of a gang's objects was lost, or an accepted bind was seen by nobody;
    - if it finds a violation, and a bind to a removed node of which the scheduler may not have known (nor on assertions
      then);
    - of preemption also if pods of gangs were there that the case did not submit, and a pod was taken (without an audit
      log: whenever such pods were there).

    On the others it has none on a history with gaps or without an end, on gangs that controllers made, and on binds to
    a removed node of which the scheduler may not have known.
    """
    facts = Facts(history)
    return {**_of_binds(facts), **_of_courses(facts)}


def _of_courses(facts: Facts) -> dict[str, Outcome]:
    """What is held, what is left, what waits and what crashes."""
    opinion = {"crash": endings.crash(facts), "assertions": claims.assertions(facts)}
    lost = {gap.kind for gap in facts.history.gaps} - SIDE_KINDS
    if not lost and not _unseen_binds(facts.history):
        opinion["held-resources"] = endings.held_resources(facts)
        opinion["cleanup"] = endings.cleanup(facts)
        opinion["barrier"] = starts.barrier(facts)
        opinion["refused"] = evidence.refused(facts)
        if preemption.is_understood(facts):
            opinion["preemption"] = preemption.preemption(facts)
    if not facts.history.complete:
        opinion = {check: worst([Outcome.UNKNOWN, outcome]) for check, outcome in opinion.items()}
    is_stray = any(laws.stray(facts, i) is Outcome.UNKNOWN for i in laws.binds(facts))
    return {
        check: outcome
        for check, outcome in opinion.items()
        if not is_stray or check == "crash" or outcome is not Outcome.VIOLATED
    }


def _unseen_binds(history: History) -> list[Record]:
    """Accepted binds that no watch showed."""
    binds = [record for record in history.records if record.source == "audit" and record.verb == "bind"]
    return [record for record in binds if record.state.get("code", 0) < 400]


def _of_binds(facts: Facts) -> dict[str, Outcome]:
    """What is bound, and when."""
    history = facts.history
    if not history.complete or history.gaps or _unseen_binds(history):
        return {}
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
    opinion["liveness"] = worst([Outcome.PASS, *outcomes, *starts.competed(facts)])
    ordered = [laws.in_order(facts, i, gang_keys(record)) for i, record in promises if record.state["what"] == "order"]
    if all(len(list(facts.actions("submit", gang=gang))) == 1 for gang in facts.gangs()):
        opinion["order"] = worst([Outcome.PASS, *ordered])
    return opinion


def disagreements(history: History, verdicts: Iterable[Verdict]) -> list[str]:
    """Where the verdicts of the checks are not what this judge says."""
    return differences(second_opinion(history), verdicts)


def differences(second: Mapping[str, Outcome], verdicts: Iterable[Verdict]) -> list[str]:
    """Where verdicts are not what the opinion of this judge says."""
    first = {verdict.check: verdict.outcome for verdict in verdicts}
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
