"""`muster run` from the outside: lines, folder, exit code, and a verdict that can be reached again."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.test_bad_input import muster

CASES = ("gang-that-fits-is-bound-whole", "one-of-two-gangs-wins-whole")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, object]:
    root = tmp_path_factory.mktemp("runs")
    cases = [word for case in CASES for word in ("--case", case)]
    done = muster("run", *cases, "--output", str(root))
    return root / "latest", done


def test_it_prints_a_line_per_case_and_no_colours(run):
    _, done = run

    assert done.returncode == 0, done.stdout + done.stderr
    for case in CASES:
        assert case in done.stdout
    assert "\x1b[" not in done.stdout + done.stderr


def test_the_folder_has_everything(run):
    folder, _ = run

    names = {path.name for path in folder.iterdir()}
    assert {
        "report.yaml",
        "index.html",
        "junit.xml",
        "results.json",
        "environment.json",
        "reproduce.sh",
        "run.json",
    } <= names
    assert len(list(folder.rglob("*.jsonl.zst"))) == len(CASES)


def test_recheck_reaches_the_same_verdicts(run):
    folder, _ = run

    again = muster("recheck", str(folder), "--json")

    assert again.returncode == 0, again.stderr
    live = {case["case"]: case for case in json.loads((folder / "results.json").read_text())["cases"]}
    for row in json.loads(again.stdout):
        result = live[row["case"]]
        assert row["outcome"] == result["outcome"]
        assert [v["outcome"] for v in row["verdicts"]] == [v["outcome"] for v in result["verdicts"]]
        assert [v["reason"] for v in row["verdicts"]] == [v["reason"] for v in result["verdicts"]]


def test_a_report_that_does_not_follow_from_its_histories_is_caught(run, tmp_path: Path):
    folder, _ = run
    forged = tmp_path / "forged"
    shutil.copytree(folder, forged)
    results = json.loads((forged / "results.json").read_text())
    results["cases"][0]["outcome"] = "violated"
    (forged / "results.json").write_text(json.dumps(results))

    again = muster("recheck", str(forged))

    assert again.returncode == 1
    assert "the report says violated, the history says pass" in again.stdout


def test_an_edited_history_is_refused(run, tmp_path: Path):
    folder, _ = run
    history = next(folder.rglob("*.jsonl.zst"))
    broken = tmp_path / history.name
    broken.write_bytes(history.read_bytes()[:-40] + b"x" * 40)

    again = muster("recheck", str(broken))

    assert again.returncode in (2, 4)
    assert "Traceback" not in again.stderr


def test_history_tells_a_gangs_story_in_words(run):
    folder, _ = run

    done = muster("history", str(folder), "--case", CASES[1], "--gang", "red")

    assert done.returncode == 0
    assert "submit" in done.stdout
    assert "red-0 created" in done.stdout


def test_results_can_be_piped_as_json_and_each_repeat_keeps_its_history(tmp_path: Path):
    done = muster("run", "--case", CASES[0], "--repeat", "2", "--json", "--output", str(tmp_path))

    results = json.loads(done.stdout)
    assert (results["outcome"], [case["case"] for case in results["cases"]]) == ("pass", [CASES[0]] * 2)
    assert CASES[0] in done.stderr
    assert len({case["history"] for case in results["cases"]}) == 2
    assert len(list((tmp_path / "latest").rglob("*.jsonl.zst"))) == 2


def test_the_report_is_valid(run):
    folder, _ = run

    checked = muster("report", "check", str(folder / "report.yaml"))

    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_mutant_is_killed_with_a_witness(tmp_path: Path):
    done = muster(
        "run",
        "--integration",
        "reference",
        "--set",
        "mutant=overbooks",
        "--case",
        CASES[0],
        "--case",
        CASES[1],
        "--timeout-factor",
        "0.2",
        "--output",
        str(tmp_path),
    )

    assert done.returncode == 1, done.stdout + done.stderr
    results = json.loads((tmp_path / "latest" / "results.json").read_text())
    verdicts = [verdict for case in results["cases"] for verdict in case["verdicts"]]
    bad = next(verdict for verdict in verdicts if verdict["check"] == "overbooking" and verdict["witness"])
    assert bad["outcome"] == "violated"
    assert bad["witness"]["revision"] > 0
    assert "--set mutant=overbooks" in done.stdout
    assert list((tmp_path / "latest" / "logs").rglob("objects.yaml"))


def test_the_box_of_a_violation_is_kept_until_it_is_taken_down(tmp_path: Path):
    mutant = ("--integration", "reference", "--set", "mutant=overbooks", "--timeout-factor", "0.2")
    cases = [argument for case in CASES for argument in ("--case", case)]
    done = muster("run", *mutant, *cases, "--keep", "failed", "--output", str(tmp_path))

    assert done.returncode == 1, done.stdout + done.stderr
    name = re.search(r"stop it with: muster down (\S+)", done.stdout)[1]
    try:
        [box] = [entry for entry in json.loads(muster("ps", "--json").stdout) if entry["name"] == name]
        assert box["persistent"]
        gangs = muster("kubectl", "--name", name, "--", "get", "pods", "-A", "-o", "name")
        assert "pod/red-0" in gangs.stdout or "kubectl" in gangs.stderr, "what the case made is still there"
    finally:
        assert muster("down", name).returncode == 0
    results = json.loads((tmp_path / "latest" / "results.json").read_text())
    assert [case["outcome"] for case in results["cases"]] == ["violated"], "nothing runs in the box after it"


def test_a_run_ends_at_its_first_failure_and_the_failed_case_runs_again(tmp_path: Path):
    mutant = ("--integration", "reference", "--set", "mutant=overbooks", "--timeout-factor", "0.2")
    cases = [argument for case in CASES for argument in ("--case", case)]
    done = muster("run", *mutant, *cases, "-x", "--output", str(tmp_path))

    assert done.returncode == 1, done.stdout + done.stderr
    assert "stopped after 1 failure; 1 case did not run" in done.stdout
    listed = muster("run", *mutant, "--last-failed", "--list", "--output", str(tmp_path))
    assert "1 case of " in listed.stdout and CASES[1] in listed.stdout


def test_a_violation_that_the_baseline_knows_is_shown_as_expected(tmp_path: Path):
    case, baseline = "only-the-lowest-priority-is-evicted", str(Path(__file__).parents[2] / "ci" / "expected")
    done = muster("run", "--case", case, "--expected", baseline, "--output", str(tmp_path))

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"✗ preemption/{case}.*\n +expected: ", done.stdout)
    assert "1 (1 SHOULD; 1 expected)" in done.stdout and "as expected: 1 case" in done.stdout
    assert 'failures="0"' in (tmp_path / "latest" / "junit.xml").read_text()
    assert muster("recheck", str(tmp_path / "latest")).returncode == 1
    again = muster("recheck", str(tmp_path / "latest"), "--expected", baseline)
    assert again.returncode == 0 and "expected: " in again.stdout
