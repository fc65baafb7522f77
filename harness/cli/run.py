"""`muster run`: judge schedulers, with a line for every case and a report at the end.

Only what the options need is imported here. The child of the run starts as soon as they are read, and what the rest of
the command needs is imported while the child does the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.choose import Choice, choice_options
from harness.cli.options import run_options, source_option, texts_of
from harness.core.errors import UsageError
from harness.runner import child

if TYPE_CHECKING:
    from harness.cli.judge import Request

EPILOG = """\b
Examples:
  muster run                                          Kubernetes' own gangs, core profile
  muster run --integration workload --kubernetes 1.36 --profile all
  muster run --case one-of-two-gangs-wins-whole -v
  muster run -k 'preemption and not slow' -x          some of them, until one fails
  muster run --last-failed                            what failed the last time
  muster run --box kind                               with real kubelets
  muster run --kubeconfig ~/.kube/config --context staging --integration volcano
  muster run --binary kubernetes.kube-scheduler=./kube-scheduler
"""


@click.command(epilog=EPILOG)
@run_options
@source_option
@choice_options
@click.option("-x", "--exitfirst", is_flag=True, help="Stop after the first case that fails.")
@click.option("--maxfail", type=click.IntRange(1), metavar="COUNT", help="Stop after this many failed cases.")
@click.option("--list", "listing", is_flag=True, help="Show what would run, and why the rest would not.")
@click.option("--watch", is_flag=True, help="Run again whenever the file of a selected case changes, until Ctrl-C.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("muster-runs"),
    show_default=True,
    help="Where run folders go.",
)
@click.option(
    "--expected",
    type=click.Path(path_type=Path, file_okay=False),
    help="Compare with the expected verdicts in this folder; any difference is exit 1. Cases that a known race may "
    "have hit run again first.",
)
@click.option("--accept", is_flag=True, help="Write the deviations of this run into the folder of --expected instead.")
@click.option("--yes", is_flag=True, help="Do not ask before objects are created in an existing cluster.")
@click.option("--dry-run", is_flag=True, help="Print what would be created in an existing cluster, and stop.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON; lines for people go to stderr.")
@click.option("-q", "--quiet", is_flag=True, help="Only violations and the summary.")
@click.option("-v", "--verbose", is_flag=True, help="Also the figures of every gang.")
def run(**values: Any) -> int:
    """Judge gang schedulers from the full history of every case, and write a report."""
    if values["accept"] and values["expected"] is None:
        raise UsageError("--accept needs the folder of --expected", hint="Such as: --expected ci/expected --accept")
    if values["quiet"] and values["verbose"]:
        raise UsageError("--quiet and --verbose exclude each other", hint="Give one of them, or none.")
    if not values["listing"] and not values["dry_run"]:
        child.prepare()
        click.get_current_context().call_on_close(child.dismiss)
    from harness.cli.judge import judge
    from harness.cli.terminal import leave_stdout

    if values["as_json"] and not values["listing"]:
        leave_stdout()
    return judge(_request(values))


def _request(values: Mapping[str, Any]) -> Request:
    """What the options ask for: a field of a request has the name of its option, or is made here."""
    from harness.cli.judge import Request

    combined: dict[str, Any] = {
        "texts": texts_of(values),
        "choice": Choice(**{field.name: values[field.name] for field in fields(Choice)}),
        "most_failures": 1 if values["exitfirst"] else values["maxfail"],
    }
    rest = {field.name: values[field.name] for field in fields(Request) if field.name not in combined}
    return Request(**combined, **rest)
