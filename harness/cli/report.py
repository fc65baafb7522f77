"""`muster report ...`, `muster compare` and `muster site`: everything done with a run after it has ended.

None of these needs a cluster. The commands raise MusterError and end with its exit code only through the caller, so
they behave the same when another program calls them.
"""

from __future__ import annotations

from pathlib import Path

import click

from harness.core.errors import ExitCode
from harness.report import write_page
from harness.report.cncf import write_cncf
from harness.report.compare import as_html, as_markdown, as_text
from harness.report.compare import compare as compare_runs
from harness.report.files import put
from harness.report.load import load_run
from harness.report.site import build_site
from harness.report.verify import check as check_report

_PATH = click.Path(path_type=Path)


@click.group()
def report() -> None:
    """Check, convert and make again the reports of a run."""


@report.command("check")
@click.argument("files", nargs=-1, required=True, type=_PATH)
@click.pass_context
def report_check(context: click.Context, files: tuple[Path, ...]) -> None:
    """Is each FILE a sound report.yaml? Prints every problem with its path."""
    bad = 0
    for file in files:
        found = check_report(file)
        bad += bool(found)
        for problem in found:
            click.echo(f"{file}: {problem}")
        if not found:
            click.echo(f"{file}: sound")
    if bad:
        context.exit(int(ExitCode.VIOLATED))


@report.command("cncf")
@click.argument("run", type=_PATH)
@click.option("--output", type=_PATH, help="Folder to write to; RUN/cncf if not given.")
@click.option("--on", "integration", help="Which integration, if the run has several.")
@click.option("--base", default="", help="Address under which the files will be published, for the evidence links.")
def report_cncf(run: Path, output: Path | None, integration: str | None, base: str) -> None:
    """Write the gang_scheduling entry of CNCF AI conformance and its evidence."""
    folder = output or (run if run.is_dir() else run.parent) / "cncf"
    for path in write_cncf(load_run(run), folder, integration, base):
        click.echo(path)


@report.command("html")
@click.argument("run", type=_PATH)
def report_html(run: Path) -> None:
    """Make index.html of the run folder RUN again."""
    folder = run if run.is_dir() else run.parent
    click.echo(write_page(load_run(run), folder))


@click.command()
@click.argument("before", metavar="A", type=_PATH)
@click.argument("after", metavar="B", type=_PATH)
@click.option("--format", "form", type=click.Choice(["text", "markdown", "html"]), default="text", show_default=True)
@click.option("--output", type=_PATH, help="File to write to; standard output if not given.")
@click.pass_context
def compare(context: click.Context, before: Path, after: Path, form: str, output: Path | None) -> None:
    """What changed from run A to run B; ends with 1 if something got worse."""
    found = compare_runs(load_run(before), load_run(after))
    made = {"text": as_text, "markdown": as_markdown, "html": as_html}[form](found)
    if output:
        click.echo(put(output, made))
    else:
        click.echo(made, nl=False)
    if found.of("worse"):
        context.exit(int(ExitCode.VIOLATED))


@click.command()
@click.argument("folder", metavar="DIR", type=_PATH)
@click.argument("reports", nargs=-1, required=True, type=_PATH)
def site(folder: Path, reports: tuple[Path, ...]) -> None:
    """Build a static comparison site in DIR from many REPORTS."""
    written = build_site(folder, reports)
    click.echo(f"{len(written)} files in {folder}; open {folder / 'index.html'}")


COMMANDS = (report, compare, site)
