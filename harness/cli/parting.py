"""Two histories of a case side by side, where they begin to differ."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from harness.cli.terminal import console
from harness.core.history.records import History
from harness.core.oracle.diff import Line, part
from harness.core.oracle.judge import case_outcome, judge_case
from harness.core.text import printable

MOST_LINES = 24  # of each side
WIDTH = 240  # characters of one line


def tell_parting(left: History, right: History, titles: tuple[str, str]) -> bool:
    """Print both, where they part; whether they do."""
    out = console()
    if left.case != right.case:
        out.print(f"these are histories of two cases: {left.case} and {right.case}", style="yellow", markup=False)
    parting = part(left, right)
    if parting is None:
        out.print("the same happened in both", style="green")
        return False
    table = Table(*(escape(printable(title)) for title in titles), pad_edge=False, show_lines=False)
    table.add_row(*(_outcome(history) for history in (left, right)))
    table.add_section()
    for line in parting.before:
        table.add_row(*[_cell(line)] * 2)
    table.add_section()
    table.add_row(_side(parting.left, parting.only_left), _side(parting.right, parting.only_right))
    out.print(table)
    return True


def _side(lines: Sequence[Line], only: Counter[str]) -> str:
    """The lines of one history after the place, its own ones in red."""
    rest, cells = Counter(only), []
    for line in lines[:MOST_LINES]:
        is_own = rest[line.text] > 0
        rest[line.text] -= is_own
        cells.append(f"[red]{_cell(line)}[/red]" if is_own else _cell(line))
    if len(lines) > MOST_LINES:
        cells.append(f"... and {len(lines) - MOST_LINES} more")
    return "\n".join(cells) or "(the history ends here)"


def _cell(line: Line) -> str:
    return escape(f"{line.at:+.3f}s {textwrap.shorten(printable(line.text), WIDTH)}")


def _outcome(history: History) -> str:
    verdicts = judge_case(history)
    bad = [f"{verdict.check}: {verdict.reason}" for verdict in verdicts if verdict.outcome.is_bad]
    return escape(printable("\n".join([str(case_outcome(verdicts)), *bad])))
