"""Expressions choose cases by words, as `pytest -k` does, and by what a case declares."""

from __future__ import annotations

import pytest

from harness.core.catalogue.cases import Case
from harness.core.catalogue.expression import parse_expression
from harness.core.errors import UsageError

WAITS = Case("gang-waits", "It MUST wait.", "placement", clauses=("WL-29",), needs=("gang", "quorum"))
EVICTS = Case("gang-evicts", "It SHOULD.", "preemption", profile="GANG-PREEMPTION", strength="SHOULD", slow=True)
CASES = (WAITS, EVICTS)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("gang", ["gang-waits", "gang-evicts"]),
        ("WAITS", ["gang-waits"]),
        ("placement/gang", ["gang-waits"]),
        ("wl-29", ["gang-waits"]),
        ("wl-2", []),
        ("quorum or slow", ["gang-waits", "gang-evicts"]),
        ("gang and not slow", ["gang-waits"]),
        ("not gang-waits and not gang-evicts", []),
        ("not (gang-waits or gang-evicts)", []),
        ("MUST", ["gang-waits"]),
        ("gang-preemption and should", ["gang-evicts"]),
        ("waits or evicts and placement", ["gang-waits"]),
        ("(waits or evicts) and preemption", ["gang-evicts"]),
    ],
)
def test_the_cases_that_are_meant(text: str, ids: list[str]) -> None:
    is_meant = parse_expression(text)
    assert [case.id for case in CASES if is_meant(case)] == ids


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a word is missing at its end"),
        ("gang and", "a word is missing at its end"),
        ("or gang", "a word is missing before 'or'"),
        ("(gang", "a parenthesis is not closed"),
        ("gang)", "')' is not expected there"),
        ("gang gang", "'gang' is not expected there"),
        ("not", "a word is missing at its end"),
    ],
)
def test_what_is_no_expression_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match="no expression") as refused:
        parse_expression(text)
    assert reason in refused.value.message
