"""`muster completion`: what a shell needs to complete commands, options and their values."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

EPILOG = """\b
In the file that your shell reads at its start:
  eval "$(muster completion bash)"        ~/.bashrc
  eval "$(muster completion zsh)"         ~/.zshrc
  muster completion fish | source         ~/.config/fish/config.fish
"""


@click.command(epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that lets SHELL complete muster's commands, options, cases and versions."""
    script = get_completion_class(shell)
    assert script is not None, "click has these three"
    click.echo(script(context.find_root().command, {}, "muster", "_MUSTER_COMPLETE").source())
