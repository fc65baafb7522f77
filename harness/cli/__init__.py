"""The `muster` command. Each group of commands has a module of its own; this one joins them and reports their errors.

Whatever goes wrong ends here as one message (what was given, what is allowed, what to do next) and a documented exit
code. A traceback is a bug, and says so.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click

from harness.cli import signals
from harness.cli.streams import prepare_streams, set_color
from harness.core.errors import ExitCode, MusterError, UsageError
from harness.core.text import printable
from harness.core.version import __version__


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command, and what is said of it without importing it: `muster --help` must be there at once."""

    module: str  # of harness.cli
    help: str  # its line in `muster --help`


SECTIONS: Mapping[str, Mapping[str, CommandEntry]] = {
    "Judge": {
        "run": CommandEntry("run", "Judge gang schedulers and write a report."),
        "prove": CommandEntry("prove", "Run the suite against mutants, to show that it can fail."),
        "soak": CommandEntry("soak", "Run cases over and over on a disturbed machine."),
        "recheck": CommandEntry("recheck", "Judge stored histories again."),
    },
    "Results": {
        "open": CommandEntry("open", "Show the report of a run in the browser."),
        "history": CommandEntry("recheck", "Print a stored history as text."),
        "report": CommandEntry("report", "Check, convert and make again the reports of a run."),
        "compare": CommandEntry("report", "Show what changed from one run to another."),
        "site": CommandEntry("report", "Build a static comparison site from many reports."),
    },
    "Look up": {
        "list": CommandEntry("list", "Show versions, integrations, cases or clauses."),
        "explain": CommandEntry("explain", "Say what is known about a case, a clause or a check."),
        "render": CommandEntry("render", "Print a gang as the YAML that an integration understands."),
    },
    "Boxes": {
        "up": CommandEntry("box", "Bring up a box: a control plane with fake GPU nodes."),
        "down": CommandEntry("box", "Stop a box and remove everything it wrote."),
        "ps": CommandEntry("box", "Show the boxes that are running."),
        "kubectl": CommandEntry("box", "Run kubectl against a box."),
        "logs": CommandEntry("box", "Print the log of a component of a box."),
        "controller": CommandEntry("controller", "Run a reference controller until SIGTERM."),
    },
    "Clusters that are already there": {
        "cluster": CommandEntry("cluster", "Prepare a cluster for a run: the role that it needs."),
        "clean": CommandEntry("cluster", "Remove everything that runs have left in a cluster."),
    },
    "Programs and this machine": {
        "doctor": CommandEntry("doctor", "Look at this machine, or at a cluster: what can be judged there?"),
        "get": CommandEntry("get", "Download or build the binaries of components, or check the cache."),
        "lock": CommandEntry("get", "Lock a new version of a component, so that it can be built."),
        "image": CommandEntry("image", "Node images for `--box kind` that need no registry."),
        "completion": CommandEntry("completion", "Let a shell complete commands, options and values."),
        "bench": CommandEntry("bench", "Measure speed, as ratios."),
    },
}
WITH_DEFAULTS = ("run", "up", "get", "prove")  # commands for which the config file may have defaults
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}

EPILOG = """\b
Examples:
  muster up                                   a box with 8 nodes of 8 GPUs
  muster run --integration workload           judge Kubernetes' own gangs
  muster run --integration volcano --case gang-that-fits-is-bound-whole
  muster recheck muster-runs/latest           judge a stored run again

\b
Exit codes: 0 conformant, 1 violated, 2 unknown, 3 harness error, 4 usage,
128 and the number of the signal that ended it.
"""


class Commands(click.Group):
    """Commands that are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]  # `list` is a module here once it is imported

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, section in SECTIONS.items():
            with formatter.section(title):
                width = max(map(len, COMMANDS))
                formatter.write_dl([(name.ljust(width), entry.help) for name, entry in section.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module = import_module(f"harness.cli.{entry.module}")
        python_name = f"{cmd_name}_" if cmd_name in ("list", "open") else cmd_name  # those are Python's own
        command: click.Command = getattr(module, python_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from harness.core.text import nearest

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]!r}. {nearest(args[0], COMMANDS)}".strip(), ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="muster")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colours in the output.")
@click.pass_context
def muster(context: click.Context, color: str) -> None:
    """Kubernetes in a box, and the conformance suite for gang scheduling."""
    set_color(color)
    if context.invoked_subcommand in WITH_DEFAULTS:
        context.default_map = _defaults(context, context.invoked_subcommand)


def _defaults(context: click.Context, name: str) -> dict[str, Any]:
    """What the config file says about the options of this command."""
    from harness.box import config
    from harness.cli.options import defaults

    settings = config.load()
    command = muster.get_command(context, name)
    if command is None or name not in settings.commands:
        return {}
    return {name: defaults(command, settings.commands[name], f"{settings.path}: [{name}]")}


def main() -> None:
    """Run the command and end with its exit code."""
    signals.listen()
    prepare_streams()
    sys.exit(_run())


def _run() -> int:
    try:
        code = muster.main(standalone_mode=False)
        sys.stdout.flush()
        if code == ExitCode.INTERRUPTED:
            return signals.exit_code()
        return int(code) if isinstance(code, int) else ExitCode.CONFORMANT
    except MusterError as error:
        return _fail(error)
    except click.ClickException as error:
        if _is_bare(error):
            return ExitCode.USAGE
        context = error.ctx if isinstance(error, click.UsageError) else None
        hint = f"See: {context.command_path} --help" if context is not None else ""
        return _fail(UsageError(error.format_message(), hint=hint))
    except (click.Abort, KeyboardInterrupt):
        _print_line("interrupted; everything that was started has been stopped", style="yellow")
        return signals.exit_code()
    except SystemExit as ending:  # click and rich end so when a pipe is closed
        return _closed() if signals.output_closed() else int(ending.code or 0)
    except OSError as error:
        if signals.output_closed():
            return _closed()
        from harness.box.disk import explain

        fault = _output_fault() or explain(error)
        return _fail(fault) if fault is not None else _bug()
    except Exception:
        return _bug()


def _is_bare(error: click.ClickException) -> bool:
    """Whether the command line ends where a command is missing; what the user needs then is the help, printed here."""
    if type(error).__name__ != "NoArgsIsHelpError" or not isinstance(error, click.UsageError) or error.ctx is None:
        return False
    click.echo(error.ctx.get_help())
    return True


def _fail(error: MusterError) -> int:
    _print_line(error.message, title="error: ")
    if error.hint:
        _print_line(error.hint, style="dim")
    return error.exit_code


def _bug() -> int:
    with contextlib.suppress(OSError):
        traceback.print_exc()
    _print_line("this is a bug of muster, not a verdict; please report it with the lines above")
    return ExitCode.HARNESS


def _closed() -> int:
    """The pipe is closed: end silently, as a program does that the signal kills."""
    signals.mute(1, 2)
    return 128 + signal.SIGPIPE


def _output_fault() -> MusterError | None:
    """Why stdout cannot be written, if that is so."""
    try:
        os.write(1, b"")
    except OSError as error:
        signals.mute(1)
        reason = f"the output cannot be written: {error.strerror}"
        return UsageError(reason, hint="Send it to a file or a program that can take it.")
    return None


def _print_line(text: str, *, title: str = "", style: str = "") -> None:
    """A line for people, if stderr can still be written."""
    from harness.cli.terminal import console

    with contextlib.suppress(OSError):
        out = console(stderr=True)
        out.print(f"[red]{title}[/red]", end="")
        out.print(printable(text), markup=False, style=style)
