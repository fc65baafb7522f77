"""What a case can do with objects other than gangs of its own making: those that users give to controllers, and those
that controllers make of them.

The recorder keeps the history of pods, nodes and gang objects; anything else a case asks the API server for. An answer
becomes part of the history as a claim, so the verdict can still be reached from the history alone.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

from harness.box.api import PATCH_MERGE, Api, Object
from harness.box.recorder import Recorder
from harness.core.errors import ApiError
from harness.core.verdict import Verdict

POLL = 0.05  # seconds between two looks at objects nobody records; a record of any kind makes it look at once
REFUSALS = (400, 403, 404, 422)  # how an API server says that an object must not be
AWAY = (0, 429, 503, 504)  # how it is when it says nothing about the object: unreachable, overloaded, out of time

Kind = tuple[str, str]  # apiVersion, kind


class Objects(ABC):
    """The words for objects; a part of `World`."""

    api: Api
    recorder: Recorder
    namespace: str

    @abstractmethod
    def deadline(self, name: str) -> float:
        """Seconds of the deadline of this name."""

    @abstractmethod
    def claim(self, sentence: str, held: bool | None, detail: str = "") -> Verdict:
        """Something the case saw for itself."""

    def find(self, kind: Kind, name: str, namespace: str = "") -> Object:
        """The object as it is now; empty if there is none."""
        return self.api.find(self.api.resource(*kind), namespace or self.namespace, name) or {}

    def existing(self, kind: Kind, name: str, namespace: str = "") -> Object:
        """The object as it is now; KeyError if there is none, which `sees` takes for not yet."""
        if not (found := self.find(kind, name, namespace)):
            raise KeyError(f"{kind[1]} {name} is not there")
        return found

    def all_of(self, kind: Kind, selector: str = "", namespace: str = "") -> list[Object]:
        """Every object of a kind in the case's namespace, in the order of their names."""
        chosen = {"labelSelector": selector} if selector else {}
        found = self.api.list(self.api.resource(*kind), namespace or self.namespace, **chosen)
        return sorted(found, key=lambda obj: str(obj["metadata"]["name"]))

    def change(self, kind: Kind, name: str, change: Object, *, subresource: str = "") -> Object:
        """Merge a change into an object, as its user would."""
        self.recorder.act("note", text=f"{kind[1]} {name} is changed")
        return self.api.patch(
            self.api.resource(*kind), self.namespace, name, change, subresource=subresource, content_type=PATCH_MERGE
        )

    def remove(self, kind: Kind, name: str) -> None:
        """Delete an object; what it owns is for the garbage collector."""
        self.recorder.act("note", text=f"{kind[1]} {name} is deleted")
        self.api.delete(self.api.resource(*kind), self.namespace, name)

    def accepts(self, obj: Object, sentence: str) -> Verdict:
        """The API server creates the object."""
        try:
            self.api.create(obj)
        except ApiError as error:
            return self.claim(sentence, False if error.status in REFUSALS else None, error.message)
        return self.claim(sentence, True)

    def rejects(self, obj: Object, sentence: str, *, mention: str = "") -> Verdict:
        """The API server refuses to create the object, for a reason that mentions this."""
        return self._rejected(lambda: self.api.create(obj), sentence, mention)

    def rejects_change(self, obj: Object, change: Object, sentence: str, *, mention: str = "") -> Verdict:
        """The API server refuses to change the object, for a reason that mentions this."""
        resource = self.api.resource(obj["apiVersion"], obj["kind"])
        meta = obj["metadata"]

        def patch() -> Object:
            return self.api.patch(resource, meta["namespace"], meta["name"], change, content_type=PATCH_MERGE)

        return self._rejected(patch, sentence, mention)

    def _rejected(self, attempt: Callable[[], Object], sentence: str, mention: str) -> Verdict:
        try:
            attempt()
        except ApiError as error:
            named = error.status in REFUSALS and mention.lower() in error.message.lower()
            return self.claim(sentence, None if error.status in AWAY else named, error.message)
        return self.claim(sentence, False, "the API server accepted it")

    def sees(self, sentence: str, condition: Callable[[], object], deadline: str = "bound") -> Verdict:
        """The condition comes true within the deadline; objects that it misses on the way do not matter.

        If the API server is away when the time is over nobody can tell, and where a node failed to make a container it
        was the machine: neither is held against anyone.
        """
        until = time.monotonic() + self.deadline(deadline)
        while not (held := _holds(condition)) and time.monotonic() < until:
            with self.recorder.changed:
                self.recorder.changed.wait(POLL)
        if held:
            return self.claim(sentence, held)
        if held is False and (failure := machine_failure(self.all_of(("v1", "Event")))):
            return self.claim(sentence, None, f"a node failed to make a container: {failure}")
        return self.claim(sentence, held, f"not within {self.deadline(deadline):.0f} s")


def machine_failure(events: Iterable[Object]) -> str:
    """What a node says of a container that it could not make for want of a cgroup, which is nobody's fault but its own.

    Other reasons for which a container cannot be made (no such program, no such user) come from the pod.
    """
    said = (event.get("message", "") for event in events if event.get("reason") == "Failed")
    return next((text for text in said if "OCI runtime create failed" in text and "cgroup" in text), "")


def _holds(condition: Callable[[], object]) -> bool | None:
    """Whether it holds now; None while the API server is away, which cases do on purpose."""
    try:
        return bool(condition())
    except LookupError:  # a part of it is not there yet
        return False
    except ApiError as error:
        if error.status not in (0, 404):
            raise
        return None if error.status == 0 else False
