"""The pages of docs/reference that are made from the catalogue: cases.md and clauses.md.

    python -m harness.pages            write them
    python -m harness.pages --check    say whether they are up to date

A test of the project runs the second, so a page can never say something else than the suite does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from harness.box.data import data_root
from harness.collect import collect_cases, load_clauses
from harness.core.catalogue import PROFILES, Case
from harness.core.clauses import OBSERVED, Covered, coverage
from harness.core.features import FEATURES

CASES_HEAD = """\
{count} cases. `muster run --case ID` runs one, `muster run --profile NAME` a profile. *Core* cases are what `muster
run` judges; *extended* ones take longer or ask for more, and *slow* ones run only with `--profile all` or when named.
A case that needs a feature the integration does not claim, or another Kubernetes, is `not-supported`."""
CLAUSES_HEAD = """\
{count} clauses, of which {judged} have cases; the others say why they have none. MUST, SHOULD and MAY come from the
source; OBSERVE is reported in figures and never a violation. *Versions* are the releases that do what the clause
says."""
MADE = "<!-- Made by `make docs` from suites/. Changes belong there. -->\n"


def pages() -> dict[Path, str]:
    """Every page and what it must say."""
    cases = collect_cases()
    where = data_root() / "docs" / "reference"
    return {
        where / "cases.md": cases_page(cases),
        where / "clauses.md": clauses_page(coverage(load_clauses(), cases)),
    }


def cases_page(cases: Sequence[Case]) -> str:
    """The cases by profile."""
    lines = ["# Cases", "", MADE, CASES_HEAD.format(count=len(cases)), ""]
    for profile, title in PROFILES.items():
        mine = sorted((case for case in cases if case.profile == profile), key=lambda case: (case.folder, case.id))
        if not mine:
            continue
        lines += [f"## {profile}", "", title, "", "| case | what is held | clauses | needs |", "|---|---|---|---|"]
        lines += [_row(case) for case in mine]
        lines.append("")
    lines += ["## Features", "", "| feature | meaning |", "| --- | --- |"]
    lines += [f"| {name} | {meaning} |" for name, meaning in FEATURES.items()]
    return "\n".join(lines) + "\n"


def _row(case: Case) -> str:
    file = f"../../suites/{case.folder}/test_{case.id.replace('-', '_')}.py"
    marks = [case.level] if case.level != "core" else []
    marks += [word for word, given in (("disruptive", case.disruptive), ("slow", case.slow)) if given]
    marks += [f"Kubernetes {case.kubernetes}"] if case.kubernetes else []
    needs = ", ".join(one for one in case.needs if one != "gang")
    said = f"{case.sentence} *({', '.join(marks)})*" if marks else case.sentence
    return f"| [{case.id}]({file}) | {said} | {', '.join(case.clauses)} | {needs} |".replace(" <", " &lt;")


def clauses_page(found: Sequence[Covered]) -> str:
    """The clauses by source, with their cases or the reason why there is none."""
    judged = sum(1 for one in found if one.cases)
    head = CLAUSES_HEAD.format(count=len(found), judged=judged)
    lines = ["# Clauses", "", MADE, head, "", "How a clause is observed:", ""]
    lines += [f"- *{word}*: {meaning}" for word, meaning in OBSERVED.items()]
    for source, group in groupby(found, key=lambda one: one.clause.source):
        lines += ["", f"## {source}", "", "| clause | level | sentence | versions | observed | cases |",
                  "| --- | --- | --- | --- | --- | --- |"]  # fmt: skip
        for one in group:
            clause = one.clause
            cases = ", ".join(f"[{case}](cases.md)" for case in one.cases) or f"*{one.explained}*"
            cells = (clause.id, clause.level, clause.sentence, clause.versions, clause.observed, cases)
            lines.append(f"| {' | '.join(cells)} |".replace(" <", " &lt;"))
    return "\n".join(lines) + "\n"


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
