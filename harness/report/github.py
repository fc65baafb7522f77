"""GitHub Actions: annotations, step summary and outputs, which a pull request shows without opening the report.

GitHub shows ten annotations of each level per step, so the worst come first and the last one says how many more there
are. It drops a step summary above 1 MiB, so the summary is bounded. Workflow commands are lines, so every value is
escaped by the rules of the runner.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from harness.core.results import CaseResult, RunResult
from harness.core.text import duration, text
from harness.core.verdict import EXPECTED, Outcome
from harness.report.markdown import cell, code
from harness.report.model import Result, headline, implementation_results, missing, why, worst_first

MOST_ANNOTATIONS = 10
MOST_BYTES = 1_000_000  # the runner's limit is 1,048,576 for all summaries of a step together
_RESULTS = {Result.SUCCESS: "✅", Result.PARTIAL: "🟡", Result.UNKNOWN: "❔", Result.FAILURE: "❌"}


def detected(env: Mapping[str, str] = os.environ) -> bool:
    """Is this a step of a GitHub workflow?"""
    return env.get("GITHUB_ACTIONS") == "true"


def escape_data(value: str) -> str:
    """A message of a workflow command."""
    return text(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(value: str) -> str:
    """A property of a workflow command: a message in which `:` and `,` end the value as well."""
    return escape_data(value).replace(":", "%3A").replace(",", "%2C")


def command(name: str, message: str = "", **properties: str) -> str:
    """One workflow command line."""
    attributes = ",".join(f"{key}={escape_property(value)}" for key, value in properties.items() if value)
    return f"::{name}{' ' + attributes if attributes else ''}::{escape_data(message)}"


@contextmanager
def group(title: str, out: TextIO) -> Iterator[None]:
    """Print a fold around everything that is printed inside."""
    print(command("group", title), file=out, flush=True)
    try:
        yield
    finally:
        print(command("endgroup"), file=out, flush=True)


def annotate(run: RunResult) -> list[str]:
    """At most ten lines, worst first; the last line says how many are missing. What is expected is only a notice."""
    bad = [case for case in worst_first(run.cases) if case.outcome.is_bad]
    bad.sort(key=lambda case: bool(case.expected))
    lines = [command("warning", missing(run), title="muster: incomplete run")] if missing(run) else []
    room = MOST_ANNOTATIONS - len(lines)
    shown = bad if len(bad) <= room else bad[: room - 1]
    lines += [_annotation(case) for case in shown]
    if len(bad) > len(shown):
        lines.append(command("warning", f"and {len(bad) - len(shown)} more, see the summary", title="muster"))
    return lines


def _annotation(case: CaseResult) -> str:
    level = "error" if case.outcome is Outcome.VIOLATED else "warning"
    message = f"{why(case)}\n{case.sentence}" + (f"\nrun again: {case.rerun}" if case.rerun else "")
    if case.expected:
        level, message = "notice", f"expected: {case.expected}\n{message}"
    return command(level, message, title=f"{_label(case)} on {case.integration}: {case.case}")


def _label(case: CaseResult) -> str:
    return f"{case.outcome} ({case.strength}, expected)" if case.expected else f"{case.outcome} ({case.strength})"


def summary(run: RunResult, limit: int = MOST_BYTES) -> str:
    """The step summary in Markdown, below the limit: findings that do not fit are counted, never cut in the middle."""
    parts = [f"## muster: {cell(headline(run))}\n"]
    if missing(run):
        parts.append(f"> **Incomplete.** {cell(missing(run))}\n")
    parts.append(_profiles(run))
    bad = [case for case in worst_first(run.cases) if case.outcome.is_bad]
    matrix = _matrix(run)
    size = sum(len(part.encode()) for part in parts) + 400
    if size + len(matrix.encode()) <= limit * 0.6:
        parts.append(matrix)
        size += len(matrix.encode())
    elif run.cases:
        parts.append("The matrix is too large for a summary; it is in `index.html`.\n")
    left = 0
    for case in bad:
        finding = _finding(case)
        if left or size + len(finding.encode()) > limit:
            left += 1
            continue
        parts.append(finding)
        size += len(finding.encode())
    if left:
        parts.append(f"… and {left} more findings in `index.html`.\n")
    return text("\n".join(parts))


def outputs(run: RunResult, folder: Path | None = None) -> dict[str, str]:
    """The outputs for later steps of the job."""
    counts = {o: sum(case.outcome is o for case in run.cases) for o in Outcome}
    return {
        "outcome": str(run.outcome),
        "passed": str(counts[Outcome.PASS]),
        "violated": str(counts[Outcome.VIOLATED]),
        "unexpected": str(sum(case.is_unexpected for case in run.cases)),
        "unknown": str(counts[Outcome.UNKNOWN]),
        "not-supported": str(counts[Outcome.NOT_SUPPORTED]),
        "complete": str(not missing(run)).lower(),
        **({"folder": str(folder)} if folder else {}),
    }


def publish(run: RunResult, out: TextIO, folder: Path | None = None, env: Mapping[str, str] = os.environ) -> None:
    """Print the annotations and write the files of the runner; outside GitHub Actions do nothing."""
    if not detected(env):
        return
    for line in annotate(run):
        print(line, file=out, flush=True)
    if env.get("GITHUB_STEP_SUMMARY"):
        path = Path(env["GITHUB_STEP_SUMMARY"])
        used = path.stat().st_size if path.exists() else 0
        with path.open("a", encoding="utf-8") as file:
            file.write(summary(run, max(2_000, MOST_BYTES - used)))
    if env.get("GITHUB_OUTPUT"):
        with Path(env["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
            for key, value in outputs(run, folder).items():
                mark = f"muster_{secrets.token_hex(8)}"  # a random delimiter, which no value contains
                file.write(f"{key}<<{mark}\n{text(value)}\n{mark}\n")


def _profiles(run: RunResult) -> str:
    results = implementation_results(run)
    names = sorted({profile.name for result in results for profile in result.profiles})
    if not names:
        return ""
    lines = ["| implementation | " + " | ".join(map(cell, names)) + " |", "| --- " * (len(names) + 1) + "|"]
    for result in results:
        has = {profile.name: profile for profile in result.profiles}
        cells = [f"{_RESULTS[has[n].result]} {has[n].result}" if n in has else "" for n in names]
        lines.append(f"| {cell(result.implementation.integration)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _matrix(run: RunResult) -> str:
    results = implementation_results(run)
    names = [result.implementation.integration for result in results]
    by = {(case.case, case.integration): case.outcome for case in run.cases}
    lines = ["<details><summary>Matrix</summary>\n", "| case | " + " | ".join(map(cell, names)) + " |"]
    lines.append("| --- |" + " :---: |" * len(names))
    for case in sorted({case.case for case in run.cases}):
        marks = [by[case, name].look.emoji if (case, name) in by else "" for name in names]
        lines.append(f"| {cell(case)} | " + " | ".join(marks) + " |")
    return "\n".join(lines) + "\n\n</details>\n" if run.cases else ""


def _finding(case: CaseResult) -> str:
    again = f"\n  - run again: {code(case.rerun)}" if case.rerun else ""
    mark = EXPECTED.emoji if case.expected else case.outcome.look.emoji
    expected = f"\n  - expected: {cell(case.expected)}" if case.expected else ""
    return (
        f"- {mark} **{cell(case.case)}** on {cell(case.integration)} ({duration(case.seconds)}): "
        f"{cell(why(case))}\n  - promised: {cell(case.sentence)}{expected}{again}\n"
    )
