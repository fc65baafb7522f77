"""Rows for people and for programs: a table that uses the width there is, a block per row where it is too narrow.

Names are never cut: what a person reads here is typed into the next command. The lines are made by hand and not by
rich, which takes longer for three hundred rows than everything else that `muster list cases` does.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from harness.cli.streams import PIPED_WIDTH
from harness.core.text import printable

GAP = 2  # columns between two columns
NARROW = 30  # columns; a last column that would have less is put below the others
INDENT = 4


def show(rows: Sequence[Mapping[str, Any]], as_json: bool) -> None:
    """A table for people, JSON for programs."""
    if as_json:
        click.echo(json.dumps(list(rows), indent=1))
    elif rows:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPED_WIDTH
        click.echo("\n".join(lines_of(rows, width)))
    else:
        click.echo("nothing to show")


def lines_of(rows: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """The lines of a table, or of blocks if its last column would be too narrow."""
    texts = [[column.upper() for column in rows[0]], *([_text(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    start = sum(widths[:-1]) + GAP * (len(widths) - 1)
    if width - start < min(widths[-1], NARROW):
        for row in texts[1:]:
            yield row[0]
            yield from _folded("  ".join(part for part in row[1:-1] if part), width, INDENT)
            yield from _folded(row[-1], width, INDENT)
        return
    for row in texts:
        head = "".join(text.ljust(size + GAP) for text, size in zip(row[:-1], widths[:-1], strict=True))
        first, *more = _folded(row[-1], width, start) or [""]
        yield (head + first.lstrip()).rstrip()
        yield from more


def _folded(text: str, width: int, indent: int) -> list[str]:
    """A text as lines of this width, below each other from a column on."""
    if indent + len(text) <= width:
        return [" " * indent + text] if text else []
    import textwrap

    room = max(width - indent, 20)
    return [" " * indent + line for line in textwrap.wrap(text, room, break_on_hyphens=False)]


def _text(value: object) -> str:
    return "yes" if value is True else "" if value is False else printable(value)
