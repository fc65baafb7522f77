"""Tables use the width they have, and never cut a name."""

from __future__ import annotations

from harness.cli.table import lines_of

ROWS = [
    {"id": "gang-that-fits-is-bound-whole", "level": "core", "sentence": "A gang that fits MUST be bound whole."},
    {"id": "short", "level": "extended", "sentence": ""},
]


def test_a_wide_terminal_has_a_table() -> None:
    assert list(lines_of(ROWS, 120)) == [
        "ID                             LEVEL     SENTENCE",
        "gang-that-fits-is-bound-whole  core      A gang that fits MUST be bound whole.",
        "short                          extended",
    ]


def test_the_last_column_is_folded_below_itself() -> None:
    assert list(lines_of(ROWS, 72))[1:3] == [
        "gang-that-fits-is-bound-whole  core      A gang that fits MUST be bound",
        "                                         whole.",
    ]


def test_a_narrow_terminal_has_a_block_for_each_row() -> None:
    assert list(lines_of(ROWS, 40)) == [
        "gang-that-fits-is-bound-whole",
        "    core",
        "    A gang that fits MUST be bound",
        "    whole.",
        "short",
        "    extended",
    ]


def test_what_a_terminal_would_carry_out_is_text() -> None:
    assert list(lines_of([{"id": "\x1b[31mred"}], 80))[1] == "\\x1b[31mred"
