"""What the code of a case can do and always does, read from its syntax tree; see `harness.core.catalogue.script`.

Only what stands there literally is used. A gang whose size is computed has any size; a promise in a branch or a loop
need not be made.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from harness.cases.declared_promises import promise_of
from harness.core.catalogue.script import Script, StatedClaim, StatedGang, StatedPromise

VERBS = {  # method of the world, of its parts and of handles -> actions that it may make
    "nodes": ("node-add",),
    "submit_in_turns": ("create",),
    "create_group": ("create",),
    "create_missing": ("create",),
    "create_again": ("create",),
    "edit_quorum": ("edit",),
    "open_gates": ("edit",),
    "suspend": ("edit",),
    "resume": ("edit", "create", "resume"),
    "delete": ("delete",),
    "evict": ("delete",),
    "scale": ("delete",),
    "lift": ("lift",),
    "stays_pending": ("lift",),
    "cordon": ("node-change",),
    "uncordon": ("node-change",),
    "untaint": ("node-change",),
    "relabel": ("node-change",),
    "lose": ("node-change",),
    "recover": ("node-change",),
    "resize": ("node-change",),
    "remove": ("node-remove",),
    "kill": ("kill",),
    "pause": ("pause",),
    "restart": ("restart", "ready"),
    "set_gates": ("restart", "ready"),
    "set_gang_gates": ("restart", "ready"),
    "turn_gangs_off": ("restart", "ready"),
    "set_wait_time": ("restart", "ready"),
}
CLAIMANTS = frozenset(("world", "world.objects"))  # whose methods make claims
CLAIMS = {  # method of theirs that makes a claim -> the key of its evidence, if it has one
    "claim": "",
    "sees": "",  # with a condition: see `_evidence`
    "finds": "condition",
    "are_on": "places",
    "accepts": "answer",
    "accepts_change": "answer",
    "rejects": "answer",
    "rejects_change": "answer",
    "stand": "standing",
    "is_bound": "standing",
    "is_at_rest": "",
    "scheduler_is_working": "",
    "stays_pending": "standing",
}
WITH_SENTENCE = frozenset(("claim", "sees", "finds", "stand", "are_on"))  # their first argument is the sentence
GANG_CLAIMS = frozenset(("is_marked_late", "takes_in", "keeps_waiting", "is_being_bound", "ends"))  # and of a gang
CONTROLLER_WORKLOADS = frozenset(("LWS", "JobSet", "BarrierJobSet", "Job", "Deployment", "StatefulSet"))
COUNTED = ("node-add", "lift", "edit", "delete")  # a call makes one of these at most, unless a controller made the gang
ANY = ".+"
_BRANCHES = (ast.If, ast.For, ast.While, ast.Try, ast.Match, ast.FunctionDef, ast.ClassDef)
_MAYBE = (ast.Lambda, ast.IfExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def script(file: Path) -> Script:
    """What the code of the case in this file says about its histories."""
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    body = next((node.body for node in tree.body if isinstance(node, ast.FunctionDef) and _is_case(node)), [])
    always = [call for statement in _straight(body) for call in _evaluated(statement)]
    names = _gangs_by_variable(body)
    return Script(
        verbs=tuple(sorted({verb for call in calls for verb in _verbs(call)} | {"node-add"})),
        most=_most(calls, always),
        gangs=_gangs(calls),
        promises=tuple(dict.fromkeys(_promises_about(always, names))),
        longest=tuple(sorted({promise for call in calls if (promise := _deadline(call))}, key=str)),
        claims=tuple(claim for call in always if (claim := _claim(call))),
        schedulers="schedulerName" in text or "start_second_scheduler" in text,
    )


def _is_case(node: ast.FunctionDef) -> bool:
    return node.name.startswith("test_")


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _function(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _claim(call: ast.Call) -> StatedClaim | None:
    """The claim that a call makes; None if it makes none, or may make none."""
    method = _method(call)
    if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in CLAIMANTS and method in CLAIMS:
        first = call.args[0] if method in WITH_SENTENCE and call.args else None
        return StatedClaim(str(first.value) if isinstance(first, ast.Constant) else "", _evidence(call))
    is_of_gang = method in GANG_CLAIMS or (method == "is_gone" and bool(call.args))
    return StatedClaim() if is_of_gang else None


def _evidence(call: ast.Call) -> str:
    """The key of the evidence of a claim; one of `sees` has it if there is a condition."""
    if _method(call) == "sees" and {keyword.arg for keyword in call.keywords} - {"deadline"}:
        return CLAIMS["finds"]
    return CLAIMS[_method(call)]


# -- what is done in any case ------------------------------------------------------------------------------------------


def _straight(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that are reached whatever happens, if the case runs to its end."""
    for statement in body:
        if not isinstance(statement, _BRANCHES):
            yield statement
        if any(isinstance(node, ast.Return) for node in ast.walk(statement)):
            return


def _evaluated(node: ast.AST) -> Iterator[ast.Call]:
    """The calls that a statement makes whatever their values are."""
    if isinstance(node, _MAYBE):
        return
    if isinstance(node, ast.Call):
        yield node
    children = node.values[:1] if isinstance(node, ast.BoolOp) else ast.iter_child_nodes(node)
    for child in children:
        yield from _evaluated(child)


def _most(calls: list[ast.Call], always: list[ast.Call]) -> dict[str, int]:
    """How often an action is made by code without branches and loops; of gangs that controllers make that is open."""
    if any(_makes_others(call) for call in calls):
        return {}
    everywhere, straight = (Counter(verb for call in part for verb in _verbs(call)) for part in (calls, always))
    return {verb: straight[verb] for verb in COUNTED if everywhere[verb] == straight[verb]}


def _verbs(call: ast.Call) -> tuple[str, ...]:
    return VERBS.get(_method(call), ())


# -- gangs -------------------------------------------------------------------------------------------------------------


def _gangs(calls: list[ast.Call]) -> tuple[StatedGang, ...]:
    """Every gang that stands in the code; nothing if the code or a controller makes others, too."""
    if any(_makes_others(call) for call in calls):
        return ()
    return tuple(dict.fromkeys(_stated(call) for call in calls if _function(call) == "Gang"))


def _makes_others(call: ast.Call) -> bool:
    return _function(call) in CONTROLLER_WORKLOADS or _method(call) in ("but", "submit_in_turns")


def _stated(call: ast.Call) -> StatedGang:
    values = _keywords(call)
    values |= dict(zip(("name", "size", "quorum", "gpus"), call.args, strict=False))
    name = _pattern(values["name"]) if "name" in values else "gang"
    if None in values or "roles" in values:
        return StatedGang(name)
    size = _number(values["size"]) if "size" in values else 1
    quorum = _number(values["quorum"]) if "quorum" in values else size
    gpus = _number(values["gpus"]) if "gpus" in values else 1
    return StatedGang(name, size, quorum, gpus, tuple(sorted(str(key) for key in values)))


def _keywords(call: ast.Call) -> dict[str | None, ast.expr]:
    return {keyword.arg: keyword.value for keyword in call.keywords}


def _pattern(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return re.escape(str(node.value))
    if isinstance(node, ast.JoinedStr):
        return "".join(_pattern(part) if isinstance(part, ast.Constant) else ANY for part in node.values)
    return ANY


def _number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else None


def _gangs_by_variable(body: list[ast.stmt]) -> dict[str, str]:
    """The name of the gang that a variable stands for, of variables that are set once."""
    names: dict[str, str] = {}
    for statement in body:
        stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
        targets = {node.id for node in stored if isinstance(node.ctx, ast.Store)}
        is_plain = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
        for target in targets:
            is_new = target not in names
            names[target] = _submitted(statement.value) if is_plain and is_new else ""  # type: ignore[attr-defined]
    return names


def _submitted(node: ast.expr) -> str:
    """The name of the gang that is submitted here; empty if that is not known."""
    if not isinstance(node, ast.Call) or _method(node) != "submit" or not node.args:
        return ""
    gang = node.args[0]
    is_stated = isinstance(gang, ast.Call) and _function(gang) == "Gang"
    first = gang.args[0] if is_stated and isinstance(gang, ast.Call) and gang.args else None
    return str(first.value) if isinstance(first, ast.Constant) else ""


# -- promises ----------------------------------------------------------------------------------------------------------


def _promises_about(calls: list[ast.Call], names: dict[str, str]) -> Iterator[StatedPromise]:
    """Promises about gangs whose names are known."""
    for call in calls:
        what = promise_of(call)
        if not what or not isinstance(call.func, ast.Attribute):
            continue
        receiver = call.func.value
        subjects = call.args if ast.unparse(receiver) == "world.gangs" else [receiver]
        for subject in subjects:
            name = names.get(subject.id, "") if isinstance(subject, ast.Name) else _submitted(subject)
            if name:
                yield StatedPromise(what, name)


def _deadline(call: ast.Call) -> StatedPromise | None:
    """A kind of promise with the deadline that it has here."""
    what, method = promise_of(call), _method(call)
    if not what:
        return None
    usual = DEADLINES.get(method, "")
    if method not in OWN_DEADLINE:
        return StatedPromise(what, deadline=usual)
    stated = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "deadline")]
    name = stated[0].value if stated and isinstance(stated[0], ast.Constant) else usual
    return StatedPromise(what, deadline=str(name))


OWN_DEADLINE = frozenset(("is_bound_whole", "is_released"))  # these take the name of one
DEADLINES = {
    "is_bound_whole": "bound",
    "reaches_quorum": "bound",
    "all_start": "drained",
    "one_of": "bound",
    "is_refused": "refused",
    "is_released": "released",
    "is_gone": "gone",
}
