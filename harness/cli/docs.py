"""The pages of docs/reference that are made: cases and clauses from the catalogue, semantics from claims, and commands.

    python -m harness.cli.docs            write them
    python -m harness.cli.docs --check    say whether they are up to date

A test of the project runs the second, so a page cannot differ from the suite.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import copy
from itertools import groupby
from pathlib import Path

import click

from harness.adapters import adapter, names
from harness.adapters.common.base import Adapter, Claim
from harness.bench.load.shapes import AXES, SHAPES
from harness.box.data import data_root
from harness.cli import SECTIONS, muster
from harness.cli.audit import audit_rows
from harness.core.catalogue.audit import AuditRow
from harness.core.catalogue.cases import DISTURBANCES, PROFILES, Case
from harness.core.catalogue.clauses import OBSERVED, Clause
from harness.core.catalogue.features import CHOICES, FEATURES, Choice
from harness.core.measure.figures import CALLS, FIGURES
from harness.runner.collect import collect_cases

CASES_HEAD = """\
{count} cases. `muster run --case ID` runs one, `muster run --profile NAME` a profile. *Core* cases are what `muster
run` judges; *extended* ones take longer or ask for more, and *slow* ones run only with `--profile all` or when named.
A case that needs a feature the integration does not claim, or another Kubernetes, is `not-supported`."""
CLAUSES_HEAD = """\
{count} clauses, of which {judged} have cases; the others say why they have none. MUST, SHOULD and MAY come from the
source; OBSERVE is reported in figures and never a violation. *Versions* are the releases that do what the clause
says. *Strength* is that of the strongest case. *Judged on* counts the integrations with expected verdicts that are
asked for a case of the clause; `muster list clauses --audit --json` names them. *Proven by* are the mutants that break
this clause and were killed by a case of it, those in italics just its law: see [the
proof](../explanation/proof.md). A clause *same as* another states the same law. It is *part of* those that are broken
whenever it is."""
WIDTH = 110  # columns of a help text
HELP_SOURCE = "<!-- Made by `make docs` from the help texts of harness/cli. Changes belong there. -->"
SEMANTICS_HEAD = """\
All designs say what a gang is. Few say what happens to a gang that has changed, and schedulers differ. Each question
below is answered by a feature that an integration claims, with the source of the answer: a document, or the place in
the code that decides it. Cases judge the answer that is claimed. *Not declared* means that no source was found, or that
the question does not arise; no case asks then."""
FIGURES_SOURCE = (
    "<!-- Made by `make docs` from harness/core/measure and harness/bench/load. Changes belong there. -->\n"
)
FIGURES_HEAD = """\
What `muster bench gangs` and `muster bench kep-4671` measure ([how](../how-to/scale.md)). A sample is one load on one
integration in a box of its own. Times come from the audit log of the API server, so they do not depend on when muster
received a change. *Held* are the figures that `--calibrate` makes limits of."""
BENCH_FILE = """\
## bench.json

`format: muster.bench/1`. `parameters` are the load, `axis` and `points` what differs between its samples, `baseline`
the integration that the others are compared with. Each of `samples` has its `integration`, `number` (the round),
`point`, `figures`, `outcome`, `findings` (what each check found), `latencies` (the distribution in 101 steps,
milliseconds), `used` (seconds and GPUs in use from then on), `room` (GPUs of all nodes), `is_exact` (whether
placement is compared with the optimum, or with a bound of it), `history` and `digest`. `missing` says what could not
be measured and why, `clauses` what was observed of a clause. `muster report check bench.json` judges the histories
beside it again and compares outcomes, findings and all figures that follow from a history.

## Limits

`format: muster.bench-limits/1`, YAML, written by `--calibrate`: the same `parameters`, and for each integration
(without its version) and point the `most` or the `least` that a figure may be, which is the mean of at least five
samples plus or minus a fifth.
"""
CLAIMS_SOURCE = "<!-- Made by `make docs` from harness/adapters and suites/. Changes belong there. -->\n"
CASES_SOURCE = "<!-- Made by `make docs` from suites/ and ci/proof.yaml. Changes belong there. -->\n"


def pages() -> dict[Path, str]:
    """Every page and what it must say."""
    cases = collect_cases()
    where = data_root() / "docs" / "reference"
    return {
        where / "commands.md": commands_page(),
        where / "cases.md": cases_page(cases),
        where / "clauses.md": clauses_page(audit_rows()),
        where / "semantics.md": semantics_page([adapter(name) for name in names()], cases),
        where / "figures.md": figures_page(),
    }


def commands_page() -> str:
    """The help of every command, in the sections of `muster --help`."""
    lines = ["# Commands", "", HELP_SOURCE, ""]
    for title, section in SECTIONS.items():
        lines += [f"## {title}", ""]
        for name in section:
            lines += _help(muster, name)
    return "\n".join(lines)


def _help(group: click.Group, name: str, parent: click.Context | None = None) -> list[str]:
    """The help of a command and of all below it."""
    above = parent or click.Context(
        group, info_name="muster", terminal_width=WIDTH, max_content_width=WIDTH, **group.context_settings
    )
    command = group.get_command(above, name)
    assert command is not None, name
    command = copy(command)
    command.add_help_option = False  # every command has it
    context = click.Context(command, parent=above, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)
    text = command.get_help(context).replace("\b\n", "")
    lines = [f"### {context.command_path}", "", "```text", *(line.rstrip() for line in text.splitlines()), "```", ""]
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            lines += _help(command, below, context)
    return lines


def figures_page() -> str:
    """The figures of a measurement, and the shapes of load."""
    lines = ["# Figures", "", FIGURES_SOURCE, FIGURES_HEAD, "", "## Figures of a sample", ""]
    lines += ["| figure | unit | better | held | meaning |", "| --- | --- | --- | --- | --- |"]
    for name, figure in FIGURES.items():
        held = "yes" if figure.is_held else ""
        lines.append(f"| `{name}` | {figure.unit} | {figure.better} | {held} | {figure.about} |")
    lines += [f"| `{CALLS}VERB` | 1/gang | less | | The same by verb: create, patch, update and others. |", ""]
    lines += [
        "## Shapes of load",
        "",
        "| shape | what it is | nodes | gangs | size |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [f"| `{name}` | {s.about} | {s.nodes} | {s.gangs} | {s.size} |" for name, s in SHAPES.items()]
    lines += ["", "## Axes", "", "| axis | what grows |", "| --- | --- |"]
    lines += [f"| `{name}` | {about} |" for name, about in AXES.items()]
    return "\n".join([*lines, "", BENCH_FILE])


def cases_page(cases: Sequence[Case]) -> str:
    """The cases by profile."""
    lines = ["# Cases", "", CASES_SOURCE, CASES_HEAD.format(count=len(cases)), ""]
    for profile, title in PROFILES.items():
        mine = sorted((case for case in cases if case.profile == profile), key=lambda case: (case.folder, case.id))
        if not mine:
            continue
        lines += [f"## {profile}", "", title, "", "| case | what is held | clauses | needs |", "|---|---|---|---|"]
        lines += [_row(case) for case in mine]
        lines.append("")
    lines += ["## Disturbances", "", "| disturbs | meaning |", "| --- | --- |"]
    lines += [f"| {name} | {meaning} |" for name, meaning in DISTURBANCES.items()]
    lines += ["", "## Features", "", "| feature | meaning |", "| --- | --- |"]
    lines += [f"| {name} | {meaning} |" for name, meaning in FEATURES.items()]
    return "\n".join(lines) + "\n"


def _row(case: Case) -> str:
    file = f"../../suites/{case.folder}/test_{case.id.replace('-', '_')}.py"
    marks = [case.level] if case.level != "core" else []
    marks += [f"disturbs {case.disturbs}"] if case.disturbs else []
    marks += ["slow"] if case.slow else []
    marks += [f"Kubernetes {case.kubernetes}"] if case.kubernetes else []
    needs = ", ".join(feature for feature in case.needs if feature != "gang")
    needs += f"{', ' if needs else ''}{' or '.join(case.either)}" if case.either else ""
    sentence = f"{case.sentence} *({', '.join(marks)})*" if marks else case.sentence
    return f"| [{case.id}]({file}) | {sentence} | {', '.join(case.clauses)} | {needs} |".replace(" <", " &lt;")


def clauses_page(rows: Sequence[AuditRow]) -> str:
    """The clauses by source, with their cases or the reason why there is none, and what was audited."""
    judged = sum(1 for row in rows if row.covered.cases)
    head = CLAUSES_HEAD.format(count=len(rows), judged=judged)
    lines = ["# Clauses", "", CASES_SOURCE, head, "", "How a clause is observed:", ""]
    lines += [f"- *{word}*: {meaning}" for word, meaning in OBSERVED.items()]
    for source, group in groupby(rows, key=lambda row: row.covered.clause.source):
        lines += [
            "",
            f"## {source}",
            "",
            "| clause | level | sentence | versions | observed | cases | strength | judged on | proven by |",
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
        for row in group:
            covered, clause = row.covered, row.covered.clause
            cases = ", ".join(f"[{case}](cases.md)" for case in covered.cases) or f"*{covered.explained}*"
            about = (clause.id, clause.level, _sentence(clause), clause.versions, clause.observed, cases)
            proven = [f"*{name}*" if name in row.isolated_by else name for name in row.proven_by]
            cells = (*about, row.strength, str(len(row.judged_on)), ", ".join(proven))
            lines.append(f"| {' | '.join(cells)} |".replace(" <", " &lt;"))
    return "\n".join(lines) + "\n"


def _sentence(clause: Clause) -> str:
    """What the clause says, and how it is related to others."""
    relations = [f"same as {clause.same_as}"] if clause.same_as else []
    relations += [f"part of {', '.join(clause.part_of)}"] if clause.part_of else []
    return f"{clause.sentence} *({'; '.join(relations)})*" if relations else clause.sentence


def semantics_page(adapters: Sequence[Adapter], cases: Sequence[Case]) -> str:
    """The questions that designs leave open, with the answers of all schedulers."""
    schedulers = [scheduler for scheduler in adapters if any(_answers(scheduler, choice) for choice in CHOICES)]
    lines = ["# Semantics", "", CLAIMS_SOURCE, SEMANTICS_HEAD, "", "## Answers", ""]
    lines += [f"| question | {' | '.join(scheduler.title for scheduler in schedulers)} |"]
    lines += [f"| --- |{' --- |' * len(schedulers)}"]
    for choice in CHOICES:
        answers = [", ".join(map(_answer, _answers(scheduler, choice))) for scheduler in schedulers]
        lines.append(f"| {choice.question} | {' | '.join(answer or '*not declared*' for answer in answers)} |")
    for choice in CHOICES:
        judges = [case.id for case in cases if {*case.needs, *case.either} & {*choice.features}]
        lines += ["", f"## {choice.question}", ""]
        lines += [f"- `{feature}`: {FEATURES[feature]}" for feature in choice.features]
        lines += ["", f"Judged by {', '.join(f'[{case}](cases.md)' for case in sorted(judges))}.", ""]
        lines += ["| scheduler | answer | source |", "| --- | --- | --- |"]
        for scheduler in schedulers:
            rows = [
                f"| {scheduler.title} | {_answer(claim)} | {claim.source} |" for claim in _answers(scheduler, choice)
            ]
            lines += rows or [f"| {scheduler.title} | *not declared* | |"]
    return "\n".join(lines) + "\n"


def _answers(scheduler: Adapter, choice: Choice) -> list[Claim]:
    """What the scheduler claims about the question; several, if versions differ."""
    claims = [Claim(claim) if isinstance(claim, str) else claim for claim in scheduler.features]
    return [claim for claim in claims if claim.feature in choice.features]


def _answer(claim: Claim) -> str:
    where = " and ".join(filter(None, (claim.versions, claim.kubernetes and f"Kubernetes {claim.kubernetes}")))
    return f"`{claim.feature}` ({where})" if where else f"`{claim.feature}`"


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or compare them; 1 if one is not up to date."""
    stale = [path for path, text in pages().items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if "--check" in arguments:
            print(f"{path} is not up to date; run: make docs")
        else:
            path.write_text(pages()[path], encoding="utf-8")
            print(f"written: {path}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
