"""How the value of an option is read from texts: numbers, truth, names, pairs.

Each reader gets the option as the user knows it and at least one text, and raises UsageError in one sentence that says
what was expected and what was given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from harness.core.errors import UsageError
from harness.core.shard import parse_shard

Texts = Sequence[str]


def whole(low: int, high: int, option: str, texts: Texts) -> int:
    text = texts[-1]
    if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
        raise UsageError(f"{option}: expected a whole number from {low} to {high}, given {text!r}")
    return int(text)


def positive(option: str, texts: Texts) -> float:
    try:
        value = float(texts[-1])
    except ValueError:
        value = 0.0
    if not 0 < value < 10_000:
        raise UsageError(f"{option}: expected a positive number, given {texts[-1]!r}")
    return value


def truth(option: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise UsageError(f"{option}: expected true or false, given {text!r}")
    return text.lower() == "true"


def names(option: str, texts: Texts) -> tuple[str, ...]:
    """Names, several in one text with commas, each once."""
    return tuple(dict.fromkeys(name.strip() for text in texts for name in text.split(",") if name.strip()))


def pairs(option: str, texts: Texts) -> dict[str, str]:
    """`a=1,b=2` of each text as one mapping; a comma that no KEY= follows belongs to the value."""
    values: dict[str, str] = {}
    for part in (part for text in texts for part in re.split(r",(?=[\w.-]+=)", text) if part):
        key, separator, value = part.partition("=")
        if not separator or not key:
            raise UsageError(f"{option}: expected KEY=VALUE, given {part!r}")
        if key in values:
            raise UsageError(f"{option}: {key} is given twice: {values[key]!r} and {value!r}")
        values[key] = value
    return values


def gates(option: str, texts: Texts) -> dict[str, bool]:
    return {gate: truth(f"{option} {gate}", value) for gate, value in pairs(option, texts).items()}


def binaries(option: str, texts: Texts) -> dict[str, Path]:
    """Programs; a comma that no COMPONENT.PROCESS= follows belongs to the path."""
    from harness.box.artifacts import parse_binaries

    return parse_binaries([part for text in texts for part in re.split(r",(?=[\w-]+\.[\w-]+=)", text)], option=option)


def keep_failed(option: str, texts: Texts) -> bool:
    if texts[-1] != "failed":
        raise UsageError(f"{option}: expected failed, given {texts[-1]!r}")
    return True


def version(option: str, texts: Texts) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,59}", texts[-1]):
        raise UsageError(f"{option}: expected letters, digits and ._+-, given {texts[-1]!r}")
    return texts[-1]


def shard(option: str, texts: Texts) -> str:
    return str(parse_shard(texts[-1], option))


def joined(option: str, texts: Texts) -> str:
    return ",".join(names(option, texts))


def last_text(option: str, texts: Texts) -> str:
    return texts[-1]


def flag(option: str, texts: Texts) -> bool:
    return truth(option, texts[-1])


def optional_text(value: object) -> list[str]:
    """The text of a value that may be missing."""
    return [] if value is None or value == "" else [str(value)]
