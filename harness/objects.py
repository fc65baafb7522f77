"""What a case can do with objects other than gangs of its own making: those that users give to controllers, and those
that controllers make of them.

The recorder keeps the history of pods, nodes and gang objects; anything else a case asks the API server for. An answer
becomes part of the history as a claim, so the verdict can still be reached from the history alone.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable

from harness.box.api import PATCH_MERGE, Api, Object
from harness.box.recorder import Recorder
from harness.core.errors import ApiError
from harness.core.verdict import Verdict

POLL = 0.05  # seconds between two looks at objects nobody records; a record of any kind makes it look at once

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

    def sees(self, sentence: str, condition: Callable[[], object], deadline: str = "bound") -> Verdict:
        """The condition comes true within the deadline; objects that it misses on the way do not matter."""
        until = time.monotonic() + self.deadline(deadline)
        while not (held := _holds(condition)) and time.monotonic() < until:
            with self.recorder.changed:
                self.recorder.changed.wait(POLL)
        return self.claim(sentence, held, "" if held else f"not within {self.deadline(deadline):.0f} s")


def _holds(condition: Callable[[], object]) -> bool:
    try:
        return bool(condition())
    except LookupError:  # a part of it is not there yet
        return False
    except ApiError as error:
        if error.status not in (0, 404):  # 0: the API server is away, which cases do on purpose
            raise
        return False
