"""`muster report ...`, `muster compare` and `muster site`: everything done with a run after it has ended.

None of these needs a cluster. The commands raise MusterError and end with its exit code only through the caller, so
they behave the same when another program calls them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import click

from harness.box.artifacts.store import own_builds
from harness.core.errors import ExitCode, UsageError
from harness.core.files import put
from harness.core.text import counted, printable
from harness.report import pack, signature, write_page
from harness.report.bench import is_bench, load_bench, write_bench
from harness.report.bench_check import check_bench
from harness.report.cncf import unshown, write_cncf
from harness.report.compare import as_data, as_html, as_markdown, as_text
from harness.report.compare import compare as compare_runs
from harness.report.folder import new_folder
from harness.report.load import load_run
from harness.report.merge import merge
from harness.report.product import problems
from harness.report.site import build_site
from harness.report.verify import check as check_report
from harness.runner.collect import collect_cases

_PATH = click.Path(path_type=Path)
FORMS = ("text", "markdown", "html", "json")  # of a comparison
WHO_SAYS = "only its publisher says so"


@click.group()
def report() -> None:
    """Check, convert and make again the reports of a run."""


@report.command("check")
@click.argument("files", nargs=-1, required=True, type=_PATH)
@click.pass_context
def report_check(context: click.Context, files: tuple[Path, ...]) -> None:
    """Check that each FILE is a sound report.yaml or bench.json; prints every problem with its path.

    Everything above the cases is computed again, and the histories beside FILE are judged again.
    """
    bad = 0
    for file in files:
        result = check_bench(file) if is_bench(file) else check_report(file, collect_cases())
        bad += bool(result.problems)
        for problem in result.problems:
            click.echo(printable(f"{file}: {problem}"))
        if not result.problems:
            click.echo(f"{file}: sound, {result}")
    if bad:
        context.exit(int(ExitCode.VIOLATED))


@report.command("pack")
@click.argument("run", type=_PATH)
@click.option("--output", type=_PATH, help="File to write; RUN.tar.zst beside the folder if not given.")
@click.option(
    "--sign", is_flag=True, help="Sign it with sigstore as this user or CI job; writes FILE.sigstore.json too."
)
def report_pack(run: Path, output: Path | None, sign: bool) -> None:
    """Put report, histories, logs and environment of RUN into one file that others can verify.

    A run whose report does not follow from its histories is refused.
    """
    if sign:
        signature.require()
    path, manifest = pack.pack(run, output, collect_cases())
    click.echo(f"{path}  {counted(len(manifest.files), 'file')}, manifest {manifest.digest}")
    if sign:
        click.echo(signature.sign(path))


@report.command("verify")
@click.argument("file", type=_PATH)
@click.option("--signer", metavar="IDENTITY", help="Expected signer: a mail address or a workflow's address.")
@click.option("--issuer", metavar="URL", help="OpenID Connect issuer of the signer's identity.")
@click.pass_context
def report_verify(context: click.Context, file: Path, signer: str | None, issuer: str | None) -> None:
    """Judge FILE of `muster report pack` again from its content alone, and print what was verified."""
    if bool(signer) != bool(issuer):
        raise UsageError("--signer and --issuer belong together", hint="Give both, or none.")
    signed = signature.verify(file, signer, issuer) if signer and issuer else signature.describe(file)
    verified = pack.verify(file, collect_cases(), own_builds())
    for problem in verified.problems:
        click.echo(printable(f"{file}: {problem}"))
    if verified.problems:
        context.exit(int(ExitCode.VIOLATED))
    click.echo(f"{file}: verified")
    for name, sentence in (*verified.facts, ("signature", signed)):
        click.echo(printable(f"  {name:<10} {sentence}"))
    click.echo(f"  {'unproven':<10} that these programs ran and that this is all that was recorded: {WHO_SAYS}")


@report.command("cncf")
@click.argument("run", type=_PATH)
@click.option("--output", type=_PATH, help="Folder to write to; RUN/cncf if not given.")
@click.option("--on", "integration", help="Which integration, if the run has several.")
@click.option("--base", default="", help="Address under which the files will be published, for the evidence links.")
@click.option("--template", type=_PATH, help="Your PRODUCT.yaml: a copy with the gang entry filled in is written.")
@click.pass_context
def report_cncf(
    context: click.Context, run: Path, output: Path | None, integration: str | None, base: str, template: Path | None
) -> None:
    """Write the gang_scheduling entry of CNCF AI conformance and its evidence.

    Ends with 1 if the run does not show what the entry claims as Implemented.
    """
    folder = output or (run if run.is_dir() else run.parent) / "cncf"
    stored = load_run(run)
    for path in write_cncf(stored, folder, integration, base, template):
        click.echo(path)
    if template is not None:
        for problem in problems(folder / "PRODUCT.yaml"):
            click.echo(printable(f"still to fill in: {problem}"))
    if lacking := unshown(stored, integration):
        for problem in lacking:
            click.echo(printable(f"not shown: {problem}"), err=True)
        context.exit(int(ExitCode.VIOLATED))


@report.command("merge", epilog="\b\nExample:\n  muster report merge part-1 part-2 part-3 --output whole")
@click.argument("parts", metavar="DIR...", nargs=-1, required=True, type=_PATH)
@click.option("--output", type=_PATH, help="Folder to write to; a new one in muster-runs if not given.")
def report_merge(parts: tuple[Path, ...], output: Path | None) -> None:
    """Put the parts of a run, or of a measurement, together: those that `--shard 1/8` to `--shard 8/8` made.

    They must fit together: the same muster, cases, selection and programs, each part once.
    """
    if output is not None and output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{output} is not an empty folder", hint="Give a new one.")
    folder = merge(parts, lambda: output or new_folder(Path("muster-runs"), "merged", time.time()))
    click.echo(folder / "index.html")


@report.command("html")
@click.argument("run", type=_PATH)
def report_html(run: Path) -> None:
    """Make index.html of the folder RUN of a run or a measurement again."""
    folder = run if run.is_dir() else run.parent
    click.echo(write_bench(load_bench(run), folder)[-1] if is_bench(run) else write_page(load_run(run), folder))


@click.command()
@click.argument("before", metavar="A", type=_PATH)
@click.argument("after", metavar="B", type=_PATH)
@click.option("--format", "form", type=click.Choice(FORMS), default="text", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--figures", is_flag=True, help="Show figures that moved as well, in text; they never make a run worse.")
@click.option("--output", type=_PATH, help="File to write to; standard output if not given.")
@click.pass_context
def compare(
    context: click.Context, before: Path, after: Path, form: str, as_json: bool, figures: bool, output: Path | None
) -> None:
    """Show what changed from run A to run B; ends with 1 if something got worse.

    Worse are a worse verdict, a new case that is violated or unknown, and a case that was judged and is gone.
    """
    comparison = compare_runs(load_run(before), load_run(after))
    documents: dict[str, Callable[[], str]] = {
        "text": lambda: as_text(comparison, figures),
        "markdown": lambda: as_markdown(comparison),
        "html": lambda: as_html(comparison),
        "json": lambda: json.dumps(as_data(comparison), indent=1) + "\n",
    }
    document = documents["json" if as_json else form]()
    if output:
        click.echo(put(output, document))
    else:
        click.echo(printable(document), nl=False)
    if comparison.worse:
        context.exit(int(ExitCode.VIOLATED))


@click.command()
@click.argument("folder", metavar="DIR", type=_PATH)
@click.argument("reports", nargs=-1, required=True, type=_PATH)
def site(folder: Path, reports: tuple[Path, ...]) -> None:
    """Build a static comparison site in DIR from many REPORTS."""
    written = build_site(folder, reports, collect_cases())
    click.echo(f"{len(written)} files in {folder}; open {folder / 'index.html'}")


COMMANDS = (report, compare, site)
