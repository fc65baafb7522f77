"""The `muster` command. Each group of commands has a module of its own; this one mounts them and speaks for all.

Whatever goes wrong ends here as one message (what was given, what is allowed, what to do next) and a documented exit
code. A traceback is a bug, and says so.
"""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from importlib.metadata import version

import click

from harness.cli.terminal import console, set_color
from harness.core.errors import ExitCode, MusterError

COMMANDS = {  # command -> module that has it; imported only when it is used, for the command must start fast
    "up": "box", "down": "box", "ps": "box", "kubectl": "box", "logs": "box",
    "get": "get", "lock": "get", "image": "image", "doctor": "doctor", "list": "listing", "render": "listing",
    "run": "run", "prove": "prove", "recheck": "judge", "history": "judge",
    "report": "report", "compare": "report", "site": "report", "bench": "bench", "controller": "controller",
}  # fmt: skip

EPILOG = """\b
Examples:
  muster up                                   a box with 8 nodes of 8 GPUs
  muster run --integration workload           judge Kubernetes' own gangs
  muster run --integration volcano --case gang-that-fits-is-bound-whole
  muster recheck muster-runs/latest           judge a stored run again

\b
Exit codes: 0 conformant, 1 violated, 2 unknown, 3 harness error, 4 usage.
"""


class Commands(click.Group):
    """Commands that are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        found: click.Command = getattr(import_module(f"harness.cli.{module}"), cmd_name.replace("list", "list_"))
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from harness.box.artifacts.register import nearest

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]!r}. {nearest(args[0], COMMANDS)}".strip(), ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("muster"), prog_name="muster")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colours in the output.")
def muster(color: str) -> None:
    """Kubernetes in a box, and the conformance suite for gang scheduling."""
    set_color(color)


def main() -> None:
    """Run the command and end with its exit code."""
    sys.exit(_run())


def _run() -> int:
    out = console(stderr=True)
    try:
        code = muster.main(standalone_mode=False)
        return int(code) if isinstance(code, int) else ExitCode.CONFORMANT
    except MusterError as error:
        out.print("[red]error:[/red] ", end="")
        out.print(error.message, markup=False)
        if error.hint:
            out.print(error.hint, markup=False, style="dim")
        return error.exit_code
    except click.ClickException as error:
        out.print("[red]error:[/red] ", end="")
        out.print(error.format_message(), markup=False)
        if isinstance(error, click.UsageError) and error.ctx is not None:
            out.print(f"See: {error.ctx.command_path} --help", markup=False, style="dim")
        return ExitCode.USAGE
    except (click.Abort, KeyboardInterrupt):
        out.print("interrupted; everything that was started has been stopped", style="yellow")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return ExitCode.CONFORMANT
    except Exception:
        traceback.print_exc()
        out.print("this is a bug of muster, and no verdict about anybody; please report it with the lines above")
        return ExitCode.HARNESS
