"""Claims about the API server: what it accepts, what it rejects, and objects that come to be.

The recorder keeps the history of pods, nodes and gang objects; anything else a case asks the API server for. The
question and the answer become part of the history as a claim, so that `muster recheck` judges them again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.box.api import PATCH_MERGE, Object
from harness.cases.context import Context, Named
from harness.core.errors import ApiError
from harness.core.history.records import gang_key
from harness.core.kinds import EVENT
from harness.core.oracle.answers import ACCEPTED, REFUSED, bounded, holds
from harness.core.oracle.standing import KEY, Standing
from harness.core.verdict import Verdict

POLL = 0.05  # seconds between two looks at objects that are not recorded; a record of any kind makes it look at once
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


def stand(
    context: Context,
    sentence: str,
    counted: Sequence[Named | str],
    least: int = 0,
    most: int | None = None,
    deadline: str = "",
) -> Verdict:
    """So many of these pods and gangs are bound and not leaving; the history shows with which record that ended."""
    gangs = [thing.key for thing in counted if not isinstance(thing, str)]
    pods = [gang_key(context.namespace, thing) for thing in counted if isinstance(thing, str)]
    standing = Standing(gangs, pods, least, most)
    if deadline:
        _await_standing(context, standing, deadline)
    number = standing.number(context.recorder.timeline)
    return context.claim(sentence, standing.allows(number), f"{number} are bound", **{KEY: standing.as_record()})


def _await_standing(context: Context, standing: Standing, deadline: str) -> None:
    """Wait until the number is right, and still is when everything that was committed has arrived."""
    while context.until(lambda: standing.allows(standing.number(context.recorder.timeline)), deadline):
        context.recorder.settle()
        if standing.allows(standing.number(context.recorder.timeline)):
            return


def sees(context: Context, sentence: str, condition: Callable[[], object], deadline: str = "bound") -> Verdict:
    """The condition comes true within the deadline; an object that it does not find counts as not yet.

    API server unreachable when the time is over, or a node could not create a container: the result is unknown. The
    claim keeps the objects that the condition read from the API server when it was asked for the last time.
    """
    held = wait_for(context, condition, deadline)
    read = {"read": bounded(context.read)} if context.read else {}
    if held:
        return context.claim(sentence, held, **read)
    if held is False and (failure := machine_failure(context.api.list(EVENT, context.namespace))):
        return context.claim(sentence, None, f"a node failed to make a container: {failure}", **read)
    return context.claim(sentence, held, f"not within {context.deadline(deadline):.0f} s", **read)


def wait_for(context: Context, condition: Callable[[], object], deadline: str) -> bool | None:
    """Whether the condition came true in time; it is looked at after every record and every few moments."""
    until = time.monotonic() + context.deadline(deadline)
    while not (held := _holds(context, condition)) and time.monotonic() < until:
        with context.recorder.changed:
            context.recorder.changed.wait(POLL)
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
