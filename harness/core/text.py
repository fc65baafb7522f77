"""Small texts with the same form everywhere: times, durations, the nearest name."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime


def text(value: object) -> str:
    """A string that can be encoded: lone surrogates, which some logs contain, become U+FFFD."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def printable(value: object) -> str:
    """Text for a terminal: control characters other than newline and tab are shown as escapes and not carried out."""
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in _CONTROLS else _escaped(c) for c in text(value))


_CONTROLS = frozenset(("Cc", "Cf", "Zl", "Zp"))  # control and format characters, line and paragraph separators


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def stamp(seconds: float) -> str:
    """Unix seconds as the UTC time a person and a schema can read; "" for zero."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""


def duration(seconds: float) -> str:
    """Seconds for a reader: `840 ms`, `12.3 s`, `4 min 05 s`."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {whole % 60:02} s"


def counted(number: int, what: str) -> str:
    """`1 case`, `2 cases`, `2 histories`, `2 processes`."""
    several = f"{what[:-1]}ies" if what.endswith("y") else f"{what}es" if what.endswith("s") else f"{what}s"
    return f"{number} {what if number == 1 else several}"


def nearest(name: str, allowed: Iterable[str]) -> str:
    """`Did you mean ...? ` for a name that is nearly right, else nothing."""
    close = difflib.get_close_matches(name, list(allowed), n=1)
    return f"Did you mean {close[0]!r}? " if close else ""
