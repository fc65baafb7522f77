"""Which of the selected cases run, and in which order: -k, --folder, --last-failed, --failed-first.

All of them narrow what --profile and --case select. What is left is handed on as a list of cases, so that the report of
the run says exactly what was judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from harness.core.catalogue.cases import Case
from harness.core.catalogue.expression import parse_expression
from harness.core.catalogue.selection import ALL
from harness.core.errors import UsageError
from harness.core.text import counted, nearest
from harness.runner.config import RunConfig

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user gave to narrow a run."""

    expression: str | None = None
    folders: tuple[str, ...] = ()
    last_failed: bool = False
    failed_first: bool = False

    @property
    def narrows(self) -> bool:
        return self.expression is not None or bool(self.folders) or self.last_failed


def choice_options(command: Command) -> Command:
    """The options that make a `Choice`."""
    for option in reversed(
        (
            click.option("-k", "expression", metavar="EXPRESSION", help="Only cases that match, as in pytest."),
            click.option("--folder", "folders", multiple=True, metavar="NAME", help="Only cases of this folder."),
            click.option("--last-failed", "--lf", is_flag=True, help="Only cases that failed when they last ran."),
            click.option("--failed-first", "--ff", is_flag=True, help="Those first, then the others."),
        )
    ):
        command = option(command)
    return command


def choose(config: RunConfig, choice: Choice, cases: Sequence[Case], output: Path) -> RunConfig:
    """The configuration for what is left; UsageError if nothing is."""
    from harness.cli.terminal import console  # neither is needed for the options of the command
    from harness.runner import memory

    if choice.failed_first and config.order == "random":
        raise UsageError("--failed-first and --order random exclude each other", hint="Give one of them.")
    whole = replace(config, shard="")  # all parts of a run must narrow it alike
    selected = [case for case in cases if whole.selects(case)]
    matching = _matching(choice, cases, [case.id for case in selected])
    failed = memory.failed(output, config.integrations) if choice.last_failed or choice.failed_first else ()
    if (choice.last_failed or choice.failed_first) and not set(failed) & set(matching):
        names = ", ".join(config.integrations)
        console(stderr=True).print(f"no case of {names} failed when it last ran; all of them run", style="dim")
    elif choice.last_failed:
        matching = [case for case in matching if case in failed]
    config = replace(config, first=failed) if choice.failed_first else config
    if not choice.narrows:
        return config
    if not matching:
        elsewhere = _matching(choice, cases, [case.id for case in cases])
        hint = f"{counted(len(elsewhere), 'case')} of other profiles would match: add --profile {ALL}"
        raise UsageError("no case was selected", hint=hint if elsewhere else "See: muster list cases")
    return config if len(matching) == len(selected) else replace(config, cases=tuple(matching))


def _matching(choice: Choice, cases: Sequence[Case], ids: Sequence[str]) -> list[str]:
    """Of these ids those that the expression and the folders mean."""
    folders = sorted({case.folder for case in cases})
    for name in choice.folders:
        if name not in folders:
            hint = f"{nearest(name, folders)}Folders: {', '.join(folders)}."
            raise UsageError(f"--folder: there is no folder {name!r}", hint=hint)
    is_meant = parse_expression(choice.expression) if choice.expression is not None else lambda case: True
    return [
        case.id
        for case in cases
        if case.id in ids and (not choice.folders or case.folder in choice.folders) and is_meant(case)
    ]
