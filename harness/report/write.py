"""Write the run folder: every report of one run, each made from the same RunResult.

results.json is written first, since all others can be made again from it (`muster report html RUN`); index.html is
the slowest and comes last. A second call replaces the files one after the other, and no file is ever incomplete.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from harness.core.files import as_json, put
from harness.core.history.records import History
from harness.core.results import CaseResult, RunResult
from harness.core.text import stamp
from harness.report.conformance import report_yaml
from harness.report.junit import junit_xml
from harness.report.load import histories_in
from harness.report.model import worst_first


def write(
    run: RunResult, folder: Path, *, histories: Callable[[CaseResult], History | None] | Path | None = None
) -> list[Path]:
    """Write all reports of the run into its folder; histories are read from there unless given."""
    folder.mkdir(parents=True, exist_ok=True)
    written = [
        put(folder / "results.json", as_json(run.as_data())),
        put(folder / "environment.json", as_json(run.environment)),
        put(folder / "reproduce.sh", reproduce(run), mode=0o755),
        put(folder / "report.yaml", report_yaml(run)),
        put(folder / "junit.xml", junit_xml(run)),
    ]
    return [*written, write_page(run, folder, histories=histories)]


def write_page(
    run: RunResult, folder: Path, *, histories: Callable[[CaseResult], History | None] | Path | None = None
) -> Path:
    """Write index.html alone."""
    from harness.report.page import page  # the templates of a page take longer to import than all that is before it

    read = histories if callable(histories) else histories_in(histories or folder)
    return put(folder / "index.html", page(run, read))


def reproduce(run: RunResult) -> str:
    """A script that runs the violated and unknown cases again, or with `--all` every case."""
    bad = [case for case in worst_first(run.cases) if case.outcome.is_bad]
    rest = [case for case in worst_first(run.cases) if case not in bad]
    lines = [
        "#!/bin/sh",
        f"# Runs the cases of {_comment(run.name)} ({stamp(run.started)}, muster {_comment(run.muster)}) again.",
        "# Without an argument: what was violated or unknown. With --all: every case.",
        "failed=0",
        'run() { echo "+ $1"; sh -c "$1" || failed=1; }',
        *(_command(case) for case in bad if case.rerun),
        'if [ "$1" = "--all" ]; then',
        *(f"  {_command(case)}" for case in rest if case.rerun),
        "  :",
        "fi",
        "exit $failed",
    ]
    return "\n".join(lines) + "\n"


def _command(case: CaseResult) -> str:
    return f"run {shlex.quote(case.rerun)}  # {_comment(case.case)}: {case.outcome}"


def _comment(text: str) -> str:
    return " ".join(text.split())
