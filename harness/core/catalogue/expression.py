"""Expressions that choose cases: `preemption and not slow`, `(GANG-CORE or kar) and quorum`.

The form is that of `pytest -k`, which people know: words joined by `and`, `or`, `not` and parentheses. pytest's own
parser is not public, and does not know what a case declares.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from harness.core.catalogue.cases import Case
from harness.core.errors import UsageError

Predicate = Callable[[Case], bool]
_TOKEN = re.compile(r"\s*(?:(?P<sign>[()])|(?P<word>[^\s()]+))")
_HINT = "Words joined by and, or, not and parentheses, such as: 'preemption and not extended'."


def parse_expression(text: str, option: str = "-k") -> Predicate:
    """A function that tells whether a case is meant; UsageError for what is no expression.

    A word is meant by a case whose folder or id contains it, or whose profile, level, strength, clause, feature or mark
    (slow, disruptive) it is; upper and lower case are the same.
    """
    parser = _Parser(text, option)
    predicate = parser.alternatives()
    if parser.tokens:
        raise parser.fault(f"{parser.tokens[0]!r} is not expected there")
    return predicate


class _Parser:
    def __init__(self, text: str, option: str) -> None:
        self._text, self._option = text, option
        self.tokens = [match.group(match.lastgroup or 0) for match in _TOKEN.finditer(text)]

    def alternatives(self) -> Predicate:
        parts = [self._conjunction()]
        while self._take("or"):
            parts.append(self._conjunction())
        return lambda case: any(part(case) for part in parts)

    def fault(self, reason: str) -> UsageError:
        return UsageError(f"{self._option}: {self._text!r} is no expression: {reason}", hint=_HINT)

    def _conjunction(self) -> Predicate:
        parts = [self._operand()]
        while self._take("and"):
            parts.append(self._operand())
        return lambda case: all(part(case) for part in parts)

    def _operand(self) -> Predicate:
        if self._take("not"):
            negated = self._operand()
            return lambda case: not negated(case)
        if self._take("("):
            inner = self.alternatives()
            if not self._take(")"):
                raise self.fault("a parenthesis is not closed")
            return inner
        if not self.tokens or self.tokens[0] in ("and", "or", ")"):
            raise self.fault(f"a word is missing {f'before {self.tokens[0]!r}' if self.tokens else 'at its end'}")
        word = self.tokens.pop(0).lower()
        return lambda case: matches(case, word)

    def _take(self, token: str) -> bool:
        if self.tokens and self.tokens[0] == token:
            self.tokens.pop(0)
            return True
        return False


def matches(case: Case, word: str) -> bool:
    """Whether a word in lower case is meant by a case."""
    marks = [name for name, on in (("slow", case.slow), ("disruptive", case.disruptive)) if on]
    labels = (case.profile, case.level, case.strength, *case.clauses, *case.needs, *marks)
    return word in f"{case.folder}/{case.id}".lower() or word in (label.lower() for label in labels)
