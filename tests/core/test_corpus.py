"""Attacks on stored histories: whatever is done to one that is violated, it does not become a pass unnoticed.

Each attack has a known answer, and each is tried on every recorded history at three layers: the history alone, the
folder of a run whose results were kept, and a folder in which everything was written anew.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

import pytest

from harness.core.catalogue.cases import Case
from harness.core.errors import UsageError
from harness.core.history import store
from harness.core.history.records import History
from harness.core.verdict import Outcome
from harness.report.evidence import Problem, judge_again
from harness.report.verify import check
from harness.runner.collect import collect_cases

from .corpus.answers import EDITS, Answer, Edit
from .corpus.edited import promises_dropped
from .corpus.edited_cluster import FOREIGN_EDITS
from .corpus.editing import PATHS, recorded
from .corpus.files import FILES, Damage
from .corpus.forgery import finished, folder_of, outcome

ROOT = Path(__file__).parent.parent.parent
VIOLATED = recorded("violated")
ORDER = list(Answer)


@cache
def catalogue() -> dict[str, Case]:
    return {case.id: case for case in collect_cases()}


def is_same(history: History, other: History) -> bool:
    return history.records == other.records and history.header == other.header


def answer(history: History, case: Case, folder: Path) -> Answer:
    """What becomes of a forged history when everything else is written anew."""
    forged = finished(history, case)
    verdict = outcome(forged)
    if verdict is not Outcome.PASS:
        return Answer.VIOLATED if verdict is Outcome.VIOLATED else Answer.UNKNOWN
    folder_of(forged, case, folder)
    return Answer.BY_VERIFY if check(folder, [case]).problems else Answer.UNNOTICED


def test_the_recorded_histories_are_what_their_folder_says() -> None:
    for name, history in recorded().items():
        assert outcome(history) is (Outcome.VIOLATED if name.startswith("violated") else Outcome.PASS), name
        assert ("constraints" in history.header) is not name.startswith("old"), name


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_an_edit_reaches_no_more_than_is_known(edit: Edit, tmp_path: Path) -> None:
    answers = {}
    for name, history in VIOLATED.items():
        forged = edit.apply(history)
        if not is_same(forged, history):
            answers[name] = answer(forged, catalogue()[history.case], tmp_path / name)
    assert max(answers.values(), key=ORDER.index) is edit.answer, answers


@pytest.mark.parametrize("name", [name for name in PATHS if not name.startswith("old")])
def test_beside_its_results_an_edited_history_is_refused(name: str, tmp_path: Path) -> None:
    history = store.read(PATHS[name])
    run = folder_of(history, catalogue()[history.case], tmp_path)
    for edit in EDITS:
        forged = edit.apply(history) if name.startswith("violated") else promises_dropped(history)
        if is_same(forged, history):
            continue
        store.write(tmp_path / run.cases[0].history, forged)
        problem, *_ = judge_again(run.cases, tmp_path)
        assert isinstance(problem, Problem) and "is another history" in problem.what, edit.name


@pytest.mark.parametrize("name", [name for name in PATHS if name.startswith("passed")])
def test_what_is_not_in_the_code_of_a_case_is_noticed(name: str, tmp_path: Path) -> None:
    history = store.read(PATHS[name])
    case = catalogue()[history.case]
    folder_of(history, case, tmp_path / "whole")
    assert not check(tmp_path / "whole", [case]).problems
    for change in FOREIGN_EDITS:
        forged = change(history)
        if is_same(forged, history) or outcome(forged) is not Outcome.PASS:
            continue
        folder_of(forged, case, tmp_path / change.__name__)
        assert check(tmp_path / change.__name__, [case]).problems, change.__name__


@pytest.mark.parametrize("damage", FILES, ids=lambda damage: damage.name)
def test_a_damaged_file_is_never_a_pass(damage: Damage, tmp_path: Path) -> None:
    random = Random(damage.name)
    for name, path in PATHS.items():
        file = tmp_path / Path(name).name
        file.write_bytes(damage.apply(path.read_bytes(), random.randrange))
        try:
            history = store.read(file)
        except UsageError:
            assert damage.answer == "refused", name
        else:
            assert damage.answer == "unknown", name
            assert not history.complete and outcome(history) is not Outcome.PASS, name


def test_what_is_not_noticed_is_in_the_documentation() -> None:
    text = (ROOT / "docs/explanation/soundness.md").read_text(encoding="utf-8")
    section = text.partition("## What a forger can still do")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    listed = {name for row in rows for name in re.findall("`(.*?)`", row)}
    assert listed == {edit.name for edit in EDITS if edit.answer is Answer.UNNOTICED}
