"""Ranges of versions, such as ">=1.36" or ">=1.35,<1.37": the versions that a case or a clause applies to."""

from __future__ import annotations

import operator
import re

from harness.core.errors import HarnessError

_PART = re.compile(r"(>=|<=|==|<|>)(\d+(?:\.\d+)*)")
_COMPARE = {">=": operator.ge, "<=": operator.le, "==": operator.eq, "<": operator.lt, ">": operator.gt}


def check_range(text: str, where: str) -> None:
    """HarnessError unless the text is a range; an empty one is every version."""
    for part in filter(None, text.split(",")):
        if not _PART.fullmatch(part.strip()):
            raise HarnessError(f'{where}: {text!r} is not a range of versions such as ">=1.36,<1.37"')


def in_range(version: str, text: str) -> bool:
    """Whether the version is in the range; only as many numbers are compared as the range gives."""
    for part in filter(None, text.split(",")):
        match = _PART.fullmatch(part.strip())
        if match is None:
            return False
        bound = _numbers(match[2])
        if not _COMPARE[match[1]](_numbers(version)[: len(bound)], bound):
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))
