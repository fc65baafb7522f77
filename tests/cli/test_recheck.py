"""`muster recheck` of a folder whose files do not belong together."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.cli.recheck import history as history_command
from harness.cli.recheck import recheck
from harness.core.gang import Gang
from harness.core.history import store
from harness.core.history.records import History, header
from harness.core.oracle.judge import case_outcome, judge_case
from harness.core.results import CaseResult, Implementation, RunResult, promises
from harness.report import write

from ..core.story import BEGAN, Story

GANG = Gang("a", 2)
DEADLINES = {"window": 2.0, "bound": 30.0}
ON = "workload@1.37.1"


def story(case: str, **deadlines: float) -> History:
    records = Story().node("n1").submit(GANG).expect("bound", "a", within=30).after(0.5).bind_all(GANG).end(40).records
    return History(header(case, integration=ON, started=BEGAN, deadlines={**DEADLINES, **deadlines}), records)


def result(folder: Path, history: History) -> CaseResult:
    path = Path("history") / ON / f"{history.case}.jsonl.zst"
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    verdicts = judge_case(history)
    return CaseResult(
        history.case,
        "A gang MUST be bound.",
        "placement",
        "GANG-CORE",
        "core",
        "MUST",
        (),
        ON,
        "1.37.1",
        case_outcome(verdicts),
        verdicts,
        history=str(path),
        digest=store.write(folder / path, history),
        deadlines=history.header["deadlines"],
        promises=promises(history),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cases = tuple(result(tmp_path, story(name)) for name in ("first", "second"))
    write(RunResult("run", BEGAN, BEGAN + 9, "0", "embedded", (Implementation(ON),), cases, 2), tmp_path)
    return tmp_path


def again(folder: Path) -> tuple[int, str]:
    invoked = CliRunner().invoke(recheck, [str(folder)], standalone_mode=False)
    assert invoked.exception is None, invoked.exception
    return int(invoked.return_value), invoked.output + invoked.stderr


def path_of(folder: Path, case: str) -> Path:
    return folder / "history" / ON / f"{case}.jsonl.zst"


def edit_results(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    data = json.loads((folder / "results.json").read_text())
    change(data["cases"][0])
    (folder / "results.json").write_text(json.dumps(data))


def with_digest(folder: Path, history: History) -> None:
    """Replace the first history and write its digest into the results."""
    digest = store.write(path_of(folder, "first"), history)
    edit_results(folder, lambda case: case.update(digest=digest))
    (folder / "report.yaml").unlink()


def test_a_whole_folder_is_as_it_was(folder: Path) -> None:
    code, text = again(folder)
    assert code == 0 and "2 histories judged again, 0 differ from the report" in text


def missing(folder: Path) -> None:
    path_of(folder, "first").unlink()


def additional(folder: Path) -> None:
    shutil.copy(path_of(folder, "first"), path_of(folder, "third"))


def swapped(folder: Path) -> None:
    first, second = path_of(folder, "first"), path_of(folder, "second")
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)


def of_another_case(folder: Path) -> None:
    with_digest(folder, story("second"))


def other_deadlines(folder: Path) -> None:
    with_digest(folder, story("first", window=2000.0))


def other_promises(folder: Path) -> None:
    whole = story("first")
    with_digest(folder, replace(whole, records=tuple(r for r in whole.records if r.verb != "expect")))


def out_of_the_folder(folder: Path) -> None:
    edit_results(folder, lambda case: case.update(history="../elsewhere.jsonl.zst"))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (missing, "first.jsonl.zst: is missing"),
        (additional, "third.jsonl.zst: no result names this history"),
        (swapped, "is another history than the one that was judged"),
        (of_another_case, "is of the case 'second', the result is of 'first'"),
        (other_deadlines, "window is 2000.0, was 2.0"),
        (other_promises, "holds the scheduler to nothing, the run to bound"),
        (out_of_the_folder, "leads out of the folder"),
    ],
)
def test_histories_that_are_not_those_of_the_run(folder: Path, damage: Callable[[Path], None], message: str) -> None:
    damage(folder)
    code, text = again(folder)
    assert code == 4 and message in text


def test_a_report_that_says_something_else_than_the_results(folder: Path) -> None:
    edited = (folder / "report.yaml").read_text().replace("outcome: pass", "outcome: violated", 2)
    (folder / "report.yaml").write_text(edited)
    code, text = again(folder)
    assert code == 1 and "outcome: the report says violated, the results say pass" in text


def test_an_impossible_history_is_unknown(folder: Path) -> None:
    whole = story("first")
    records = list(whole.records)
    records[-1] = replace(records[-1], at=BEGAN - 5000)
    store.write(folder / "alone.jsonl.zst", replace(whole, records=tuple(records)))
    code, text = again(folder / "alone.jsonl.zst")
    assert code == 2 and "this cannot happen" in text


def test_without_results_nothing_is_said_to_agree(folder: Path) -> None:
    (folder / "results.json").unlink()
    code, text = again(folder)
    assert code == 0 and "there is no results.json to compare them with" in text


EVIL = "a\x1b]52;c;aGk=\x07b [bold]x[/nothing] \u202e"


def test_a_name_can_neither_write_to_the_terminal_nor_be_markup(tmp_path: Path) -> None:
    records = Story().node("n1").submit(GANG).bind_all(GANG).act("note", text=EVIL).end(40).records
    path = tmp_path / "h.jsonl.zst"
    store.write(path, History(header(EVIL, integration=EVIL, started=BEGAN), records))
    for command in (recheck, history_command):
        invoked = CliRunner().invoke(command, [str(path)], standalone_mode=False)
        assert invoked.exception is None, invoked.exception
        assert "\x1b" not in invoked.output and "\x07" not in invoked.output and "\u202e" not in invoked.output
        assert "[bold]x[/nothing]" in invoked.output


def test_a_closed_pipe_says_nothing_about_a_verdict(folder: Path) -> None:
    program = "from harness.cli import main; main()"
    for command in ("recheck", "history"):
        read, write_end = os.pipe()
        os.close(read)
        done = subprocess.run(
            [sys.executable, "-c", program, command, str(folder)],
            stdout=write_end,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        os.close(write_end)
        assert done.returncode == 141, done.stderr
        assert "Traceback" not in done.stderr
