"""What a value must be like, as data: one rule for cases that look and for `muster recheck`.

A claim that keeps a value and a condition is judged again from them. A condition says what is asked of the value as a
whole (`equals`, `differs`), of how many there are (`count`, `least`, `most`; of a number, what it is), and of its
entries (`within`, `includes`, `excludes`). Everything that is given must hold.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

KEY, VALUE = "condition", "value"  # of a claim's state
COMPARISONS = ("equals", "differs", "count", "least", "most", "within", "includes", "excludes")
MOST = 1000  # entries that a condition names
_NUMBERS = ("count", "least", "most")


def fulfils(value: Any, condition: Mapping[str, Any]) -> bool:
    """Whether a value, None if there was none, is as the condition says; ValueError if the condition says nothing."""
    _check(condition)
    if value is None:
        return False
    value, condition = plain(value), plain(condition)
    return all(_holds(word, value, expected) for word, expected in condition.items())


def plain(value: Any) -> Any:
    """The value as a history keeps it: sets in order, and of an object of the API its name and uid."""
    if isinstance(value, Mapping):
        meta = value.get("metadata")
        if isinstance(meta, Mapping) and "uid" in meta:
            return {key: meta[key] for key in ("name", "uid") if key in meta}
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def recompute(state: Mapping[str, Any]) -> bool | None:
    """Whether a claim with a condition holds by the value that it kept; None if one of them cannot be read."""
    if VALUE not in state:
        return None
    try:
        return fulfils(state[VALUE], condition_of(state))
    except (TypeError, ValueError, RecursionError):
        return None


def condition_of(state: Mapping[str, Any]) -> Mapping[str, Any]:
    """The condition of a claim; ValueError if it has none that can be read."""
    condition = state.get(KEY)
    if not isinstance(condition, Mapping):
        raise ValueError("it has no condition")
    _check(condition)
    return condition


def _check(condition: Mapping[str, Any]) -> None:
    if not condition or not set(condition) <= set(COMPARISONS):
        raise ValueError(
            f"a condition consists of {', '.join(COMPARISONS)}, not of {', '.join(condition) or 'nothing'}"
        )
    if not all(_is_number(condition[word]) for word in _NUMBERS if word in condition):
        raise ValueError("it has no numbers")
    entries = [condition[word] for word in ("within", "includes", "excludes") if word in condition]
    if not all(isinstance(item, Collection) and not isinstance(item, str | bytes) for item in entries):
        raise ValueError("it names no entries")
    if any(len(item) > MOST for item in entries):
        raise ValueError(f"it names more than {MOST} entries")


def _holds(word: str, value: Any, expected: Any) -> bool:
    if word in ("equals", "differs"):
        return bool((value == expected) == (word == "equals"))
    if word in _NUMBERS:
        number = value if _is_number(value) else len(value)
        return bool({"count": number == expected, "least": number >= expected, "most": number <= expected}[word])
    entries = list(value)
    if word == "includes":
        return all(entry in entries for entry in expected)
    return all((entry in expected) == (word == "within") for entry in entries)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
