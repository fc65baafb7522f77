"""Claims about the API server: what it accepts, what it rejects, and objects that come to be.

The recorder keeps the history of pods, nodes and gang objects; anything else a case asks the API server for. The
question and the answer become part of the history as a claim, so that `muster recheck` judges them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.box.api import PATCH_MERGE, Object
from harness.cases.context import Context, Named
from harness.core.errors import ApiError
from harness.core.history.records import gang_key
from harness.core.kinds import EVENT
from harness.core.oracle.answers import ACCEPTED, REFUSED, bounded, holds
from harness.core.oracle.condition import fulfils, plain
from harness.core.oracle.places import Places, node_labels
from harness.core.oracle.standing import KEY, Standing
from harness.core.verdict import Verdict

POLL = 0.05  # seconds between two looks at objects that are not recorded; a record of any kind makes it look at once
SHOWN = 200  # characters of a value in the detail of a claim
DONE = {"create": 201, "patch": 200}  # the status code of a request that was accepted


def accepts(context: Context, obj: Object, sentence: str) -> Verdict:
    """The API server creates the object."""
    return _ask(context, ApiRequest("create", obj), sentence, ACCEPTED)


def accepts_change(context: Context, obj: Object, change: Object, sentence: str) -> Verdict:
    """The API server changes the object."""
    context.recorder.act("note", text=f"{obj['kind']} {obj['metadata']['name']} is changed")
    return _ask(context, ApiRequest("patch", obj, change), sentence, ACCEPTED)


def rejects(context: Context, obj: Object, sentence: str, mention: str = "") -> Verdict:
    """The API server refuses to create the object, for a reason that mentions this."""
    return _ask(context, ApiRequest("create", obj), sentence, REFUSED, mention)


def rejects_change(context: Context, obj: Object, change: Object, sentence: str, mention: str = "") -> Verdict:
    """The API server refuses to change the object, for a reason that mentions this."""
    return _ask(context, ApiRequest("patch", obj, change), sentence, REFUSED, mention)


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """A request whose answer is a claim."""

    verb: str  # create or patch
    obj: Object
    change: Object | None = None

    def send(self, context: Context) -> None:
        if self.verb == "create":
            context.api.create(self.obj)
            return
        meta = self.obj["metadata"]
        resource = context.api.resource(self.obj["apiVersion"], self.obj["kind"])
        context.api.patch(resource, meta["namespace"], meta["name"], self.change or {}, content_type=PATCH_MERGE)

    def as_record(self) -> dict[str, Any]:
        """What the history keeps: the whole object if it was to be created, of one that was changed its name."""
        if self.verb == "create":
            return {"verb": self.verb, "object": bounded(self.obj)}
        meta = {key: self.obj["metadata"].get(key) for key in ("namespace", "name")}
        named = {"apiVersion": self.obj["apiVersion"], "kind": self.obj["kind"], "metadata": meta}
        return {"verb": self.verb, "object": named, "change": bounded(self.change)}


def _ask(context: Context, request: ApiRequest, sentence: str, expected: str, mention: str = "") -> Verdict:
    """Send the request; the claim keeps what was asked, what was expected and the answer."""
    code, message = DONE[request.verb], ""
    try:
        request.send(context)
    except ApiError as error:
        code, message = error.status, error.message
    surprise = "the API server accepted it" if expected == REFUSED and code == DONE[request.verb] else message
    return context.claim(
        sentence,
        holds(expected, code, message, mention),
        surprise,
        request=request.as_record(),
        answer={"code": code, "message": message},
        expected=expected,
        mention=mention,
    )


def answered(context: Context, sentence: str, code: int, message: str) -> Verdict:
    """An answer of the API server to a request that it should have accepted, of which others keep the object."""
    held, answer = holds(ACCEPTED, code, message), {"code": code, "message": message}
    return context.claim(sentence, held, message, answer=answer, expected=ACCEPTED)


def stand(
    context: Context,
    sentence: str,
    counted: Sequence[Named | str],
    least: int = 0,
    most: int | None = None,
    deadline: str = "",
) -> Verdict:
    """So many of these pods and gangs are bound and not leaving; the history shows with which record that ended.

    A pod of another namespace than that of the case is named with it ("namespace/name").
    """
    standing = Standing(*_keys(context, counted), least, most)
    recorder = context.recorder
    if deadline:
        _await(context, lambda: standing.allows(standing.number(recorder.timeline)), deadline)
    with recorder.changed:  # no record comes between the look and the claim
        number = standing.number(recorder.timeline)
        held, evidence = standing.allows(number), {KEY: standing.as_record()}
        context.note_claim(sentence, held, f"{number} are bound", **evidence)
    return context.verdict("assertions", held)


def are_on(
    context: Context,
    sentence: str,
    counted: Sequence[Named | str],
    label: str,
    role: str,
    deadline: str,
    condition: Mapping[str, Any],
) -> Verdict:
    """The nodes of these pods and gangs, or the domains of a node label, are as the condition says."""
    places, recorder = Places(*_keys(context, counted), role, label), context.recorder

    def where() -> list[str]:
        line = recorder.timeline
        return places.values(line, node_labels(recorder.latest("Node")), line.last)

    if deadline:
        _await(context, lambda: fulfils(where(), condition), deadline)
    with recorder.changed:
        there = where()
        held, evidence = fulfils(there, condition), {"places": places.as_record(), "condition": plain(condition)}
        context.note_claim(sentence, held, f"on {', '.join(there) or 'no node'}", **evidence)
    return context.verdict("assertions", held)


def _keys(context: Context, counted: Sequence[Named | str]) -> tuple[list[str], list[str]]:
    """The gangs and the pods among these, by namespace and name."""
    gangs = [thing.key for thing in counted if not isinstance(thing, str)]
    pods = [thing for thing in counted if isinstance(thing, str)]
    return gangs, [pod if "/" in pod else gang_key(context.namespace, pod) for pod in pods]


def _await(context: Context, condition: Callable[[], bool], deadline: str) -> None:
    """Wait until the condition is true, and still is when everything that was committed has arrived."""
    while context.until(condition, deadline):
        context.recorder.settle()
        with context.recorder.changed:  # what it looks at does not change meanwhile
            if condition():
                return


def finds(context: Context, sentence: str, value: object, **condition: Any) -> Verdict:
    """What the case has read is as the condition says; the claim keeps both."""
    held = fulfils(value, condition)
    return context.claim(sentence, held, _shown(value), value=plain(value), condition=plain(condition))


def sees(
    context: Context, sentence: str, read: Callable[[], object], deadline: str = "bound", **condition: Any
) -> Verdict:
    """What is read comes to be as the condition says within the deadline; what is not found counts as not yet.

    The claim keeps the last value and the condition. Without one, what is read has to be true, and the claim keeps the
    objects that were read from the API server: that is believed when a history is judged again. API server unreachable
    when the time is over, or a node could not create a container: the result is unknown.
    """
    values: list[object] = []

    def look() -> bool:
        values.clear()
        value = read()
        values.append(value)
        return fulfils(value, condition) if condition else bool(value)

    held = wait_for(context, look, deadline)
    evidence = _evidence(context, values, condition, held)
    if held:
        return context.claim(sentence, held, **evidence)
    if held is False and (failure := machine_failure(context.api.list(EVENT, context.namespace))):
        evidence.pop("value", None)  # it says nothing about what is to be judged
        return context.claim(sentence, None, f"a node failed to make a container: {failure}", **evidence)
    late = f"not within {context.deadline(deadline):.0f} s"
    return context.claim(sentence, held, f"{late}: {_shown(values[0])}" if condition and values else late, **evidence)


def _evidence(
    context: Context, values: Sequence[object], condition: Mapping[str, Any], held: bool | None
) -> dict[str, Any]:
    """What a claim keeps of what was looked at last; no value if the API server was away."""
    if condition:
        value = {} if held is None else {"value": plain(values[0]) if values else None}
        return {**value, "condition": plain(condition)}
    return {"read": bounded(context.read)} if context.read else {}


def _shown(value: object) -> str:
    """A value in the detail of a claim."""
    text = str(plain(value))
    return f"it is {text if len(text) <= SHOWN else text[: SHOWN - 3] + '...'}"


def wait_for(context: Context, condition: Callable[[], object], deadline: str) -> bool | None:
    """Whether the condition came true in time; it is looked at after every record and every few moments.

    Time in which muster or the API server stood still does not count.
    """
    recorder, left = context.recorder, context.recorder.countdown(context.deadline(deadline))
    while not (held := _holds(context, condition)) and left() > 0:
        with recorder.changed:
            recorder.changed.wait(POLL)
    return held


def machine_failure(events: Iterable[Object]) -> str:
    """What a node reports of a container that it could not make because of a cgroup: a fault of the machine.

    Other reasons for which a container cannot be made (no such program, no such user) come from the pod.
    """
    messages = (event.get("message", "") for event in events if event.get("reason") == "Failed")
    return next((text for text in messages if "OCI runtime create failed" in text and "cgroup" in text), "")


def _holds(context: Context, condition: Callable[[], object]) -> bool | None:
    """Whether it holds now; None while the API server is away, which cases do on purpose."""
    context.read.clear()
    try:
        return bool(condition())
    except LookupError:  # a part of it is not there yet
        return False
    except ApiError as error:
        if error.status not in (0, 404):
            raise
        return None if error.status == 0 else False
