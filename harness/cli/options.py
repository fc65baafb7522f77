"""The options of a run for click, from the one table; their values from flags, the environment and the config file.

A flag wins over the variable MUSTER_NAME, the variable over the table `[run]` of muster.toml, and the table over the
default. An option that takes one value is refused when it is given twice: the dropped value may be the right one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from harness.core.errors import UsageError
from harness.core.text import nearest
from harness.runner import options

Command = TypeVar("Command", bound=Callable[..., Any])


def run_options(command: Command, only: Collection[str] = ()) -> Command:
    """The options of a run, from the table that the pytest plugin has its own from; those of these names if any."""
    for option in reversed([option for option in options.OPTIONS if not only or option.name in only]):
        default = f"  [default: {option.shown_default}]" if option.shown_default else ""
        names = [name for name in (option.short, f"--{option.name}", _parameter(option)) if name]
        more: dict[str, Any] = {"is_flag": True, "default": None}
        if not option.is_flag:
            more = {"metavar": option.metavar, "multiple": True, "type": OptionText(option.name)}
        variable = f"MUSTER_{_parameter(option).upper()}"
        command = click.option(*names, help=f"{option.help}{default}", envvar=variable, **more)(command)
    return command


def source_option(command: Command) -> Command:
    """Where programs come from; in force until the command ends, in this process and all that it starts."""
    from harness.box.config import SOURCE_VARIABLE, SOURCES

    def choose(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            former = os.environ.get(SOURCE_VARIABLE)
            os.environ[SOURCE_VARIABLE] = value
            context.call_on_close(lambda: _restore(SOURCE_VARIABLE, former))

    return click.option(
        "--source",
        type=click.Choice(SOURCES),
        callback=choose,
        expose_value=False,
        help="Programs of the vendor (release), from source (build), or release if reachable, else build (auto).  "
        f"[default: {SOURCES[0]}]",
    )(command)


def _restore(variable: str, former: str | None) -> None:
    """Commands also run inside other programs, and the next one must not inherit a choice of this one."""
    if former is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = former


def texts_of(values: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """What click has for each option, as the texts that a user gave."""
    texts: dict[str, Sequence[str]] = {}
    for option in options.OPTIONS:
        if _parameter(option) not in values:
            continue
        value = values[_parameter(option)]
        if option.is_flag:
            texts[option.name] = ["true"] if value else []
            continue
        if len(value) > 1 and not option.is_many:
            texts_of_option = " and ".join(map(repr, value))
            raise UsageError(f"--{option.name} is given twice: {texts_of_option}", hint="Give one of them.")
        texts[option.name] = value or ([option.run_default] if option.run_default is not None else [])
    return texts


class OptionText(click.types.StringParamType):
    """The text of an option; `harness.runner.options` reads it."""

    def __init__(self, option: str) -> None:
        self._option = option

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """The whole of it: paths have spaces in them, and lists their commas."""
        return [rv]

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(value) for value in _values(self._option) if value.startswith(incomplete)]


def defaults(command: click.Command, table: Mapping[str, Any], place: str) -> dict[str, Any]:
    """A table of the config file as what click takes for defaults; UsageError for what the command does not have."""
    parameters = {
        name.removeprefix("--"): parameter
        for parameter in command.params
        for name in parameter.opts
        if name.startswith("--")
    }
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in parameters:
            hint = f"{nearest(key, parameters)}Allowed: {', '.join(sorted(parameters))}."
            raise UsageError(f"{place}: there is no option {key!r}", hint=hint)
        values[parameters[key].name or key] = _default(parameters[key], value, f"{place}: {key}")
    return values


def _default(parameter: click.Parameter, value: Any, place: str) -> Any:
    if isinstance(parameter, click.Option) and parameter.is_flag:
        if not isinstance(value, bool):
            raise UsageError(f"{place}: expected true or false, given {value!r}")
        return value
    entries = value if isinstance(value, list) else [value]
    if any(isinstance(entry, bool) or not isinstance(entry, str | int | float) for entry in entries):
        raise UsageError(f"{place}: expected a text, a number or a list of them, given {value!r}")
    if isinstance(parameter, click.Option) and parameter.multiple:
        return [str(entry) for entry in entries]
    if isinstance(value, list):
        raise UsageError(f"{place}: expected one value, given {value!r}")
    return str(value)


def _parameter(option: options.Option) -> str:
    """The name that a function has for the option."""
    return option.name.replace("-", "_")


def _values(option: str) -> Sequence[str]:
    """What a shell may complete; nothing where only the user knows."""
    if option == "case":
        from harness.runner.collect import collect_cases

        return [case.id for case in collect_cases()]
    if option == "integration":
        from harness.adapters import names

        return names()
    if option in ("kubernetes", "profile"):
        from harness.box.artifacts import load
        from harness.runner.config import SELECTIONS

        return SELECTIONS if option == "profile" else list(load().locks("kubernetes"))
    return {"box": ["embedded", "kind"], "order": ["suite", "random"], "keep": ["failed"]}.get(option, [])
