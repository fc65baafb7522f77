"""What an answer of the API server says about a request: one rule for cases that ask and for `muster recheck`.

A claim keeps the request and the answer, so that whether it held is worked out again and never only believed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

REFUSALS = (400, 403, 404, 422)  # how an API server says that an object must not be
AWAY = (0, 429, 503, 504)  # how it is when it says nothing about the object: unreachable, overloaded, out of time
ACCEPTED, REFUSED = "accepted", "refused"  # what a case expects
LIMIT = 6000  # characters of JSON that a claim keeps of a request or of what was read; most objects are smaller


def holds(expected: str, code: int, message: str, mention: str = "") -> bool | None:
    """Whether an answer is what the case expects; None where it says nothing about the object.

    A refusal counts only if its message mentions what the case expects it to be about.
    """
    if expected == ACCEPTED:
        return True if 200 <= code < 300 else False if code in REFUSALS else None
    if code in AWAY:
        return None
    return code in REFUSALS and mention.lower() in message.lower()


def recompute(state: Mapping[str, Any]) -> bool | None:
    """Whether a stored claim holds by its own evidence: by the answer if it has one, else as the case saw it."""
    answer, held = state.get("answer"), state.get("held")
    if not isinstance(answer, Mapping) or state.get("expected") not in (ACCEPTED, REFUSED):
        return held if isinstance(held, bool) else None
    code, message = int(answer.get("code", 0)), str(answer.get("message", ""))
    return holds(state["expected"], code, message, str(state.get("mention", "")))


def bounded(value: Any, limit: int = LIMIT) -> Any:
    """The value if it is small enough to be kept in a history; else the beginning of it as text.

    Fields that tell who manages which field are left out: they are long and say nothing about the object.
    """
    plain = _without_managers(value)
    text = json.dumps(plain, default=str, sort_keys=True)
    return json.loads(text) if len(text) <= limit else {"cut": text[:limit]}


def _without_managers(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _without_managers(item) for key, item in value.items() if key != "managedFields"}
    if isinstance(value, set | frozenset):
        return sorted((_without_managers(item) for item in value), key=str)
    if isinstance(value, list | tuple):
        return [_without_managers(item) for item in value]
    return value
