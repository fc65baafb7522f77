"""The action and the workflows: names that survive a matrix, arguments that stay whole, nothing inside of scripts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
ACTION = ROOT / "ci" / "action"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
INPUTS = {"INTEGRATION": "workload", "PROFILE": "core", "SOURCE": "auto"}
INPUTS |= dict.fromkeys(("KUBERNETES", "EXPECTED", "ARTIFACT"), "")


def steps(path: Path) -> list[dict[str, object]]:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    if "runs" in data:
        return data["runs"]["steps"]
    return [step for job in data["jobs"].values() for step in job["steps"]]


def names(tmp_path: Path, **inputs: str) -> dict[str, str]:
    """The names that the action gives to the cache and the artifact of a job."""
    output = tmp_path / "output"
    output.write_text("")
    variables = {**os.environ, **INPUTS, **inputs, "ACTION": str(ACTION), "GITHUB_OUTPUT": str(output)}
    subprocess.run([ACTION / "names"], env=variables, check=True)
    return dict(line.split("=", 1) for line in output.read_text().splitlines())


def test_jobs_of_a_matrix_have_names_of_their_own(tmp_path: Path) -> None:
    jobs = [
        {"INTEGRATION": "workload"},
        {"INTEGRATION": "volcano@1.14.1"},
        {"INTEGRATION": "volcano@1.14.1", "KUBERNETES": "1.36"},
        {"INTEGRATION": "volcano@1.14.1", "PROFILE": "GANG-CORE"},
        {"INTEGRATION": "workload\nvolcano"},
    ]
    for name in ("cache", "artifact"):
        values = [names(tmp_path, **job)[name] for job in jobs]
        assert len(set(values)) == len(jobs)
        assert all(re.fullmatch(r"[A-Za-z0-9._@-]+", value) for value in values)
    assert os.uname().machine in names(tmp_path)["cache"] and os.uname().machine in names(tmp_path)["artifact"]
    assert names(tmp_path, ARTIFACT="mine")["artifact"] == "mine"


def test_the_cache_is_another_one_when_a_lock_changes(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    for folder in ("ci/action", "clusters/locks/etcd/3.6.12"):
        (repository / folder).mkdir(parents=True)
    script = repository / "ci" / "action" / "names"
    script.write_bytes((ACTION / "names").read_bytes())
    script.chmod(0o755)
    (repository / "clusters" / "components.yaml").touch()
    keys = []
    for content in ("one", "two", "two"):
        (repository / "clusters" / "locks" / "etcd" / "3.6.12" / "go.mod").write_text(content)
        output = tmp_path / "output"
        output.write_text("")
        variables = {**os.environ, **INPUTS, "ACTION": str(script.parent), "GITHUB_OUTPUT": str(output)}
        subprocess.run([script], env=variables, check=True)
        keys.append(output.read_text())
    assert keys[0] != keys[1] == keys[2]


def arguments(tmp_path: Path, **inputs: str) -> list[str]:
    """What `muster` is given by the action."""
    program = tmp_path / "muster"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    more = {"ARGUMENTS": "", "OUTPUT": "muster-runs", "MUSTER": str(program)}
    variables = {**os.environ, **INPUTS, **more, **inputs}
    answer = subprocess.run([ACTION / "run"], env=variables, capture_output=True, text=True, check=True)
    return answer.stdout.splitlines()


def test_arguments_stay_whole(tmp_path: Path) -> None:
    lines = ["--set=actions=allocate, preempt, backfill", "--binary=volcano.scheduler=./my build/vc-scheduler"]
    options = arguments(tmp_path, ARGUMENTS=f"{lines[0]}\n  {lines[1]} \n\n")
    assert options[-2:] == lines


def test_inputs_become_options(tmp_path: Path) -> None:
    options = arguments(
        tmp_path, INTEGRATION="workload volcano", PROFILE="GANG-CORE\nGANG-QUEUE", KUBERNETES="1.36", EXPECTED="mine"
    )
    assert options == [
        *("run", "--source", "auto", "--output", "muster-runs", "--kubernetes", "1.36", "--expected", "mine"),
        *("--integration", "workload", "--integration", "volcano", "--profile", "GANG-CORE", "--profile", "GANG-QUEUE"),
    ]
    assert arguments(tmp_path, INTEGRATION="$(touch /tmp/x); a")[-4:-2] == ["--integration", "a"]


@pytest.mark.parametrize("path", [ACTION / "action.yml", *WORKFLOWS], ids=lambda path: path.name)
def test_scripts_have_no_expressions_and_actions_are_pinned(path: Path) -> None:
    for step in steps(path):
        assert "${{" not in str(step.get("run", "")), "a value of an expression would be run as code"
        uses = str(step.get("uses", ""))
        assert not uses or uses.startswith("./") or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", uses), uses


@pytest.mark.parametrize("path", [ACTION / "action.yml", *WORKFLOWS], ids=lambda path: path.name)
def test_caches_leave_out_modules_and_compiled_packages(path: Path) -> None:
    for step in steps(path):
        if str(step.get("uses", "")).startswith("actions/cache@"):
            settings = step["with"]
            assert isinstance(settings, dict)
            assert settings["path"] == "~/.cache/muster/artifacts"


@pytest.mark.thorough
def test_the_site_has_the_documentation_of_every_version(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(checkout)], check=True)
    subprocess.run(["git", "tag", "v0.0.1"], cwd=checkout, check=True)

    subprocess.run(
        ["ci/site", str(tmp_path / "site")], cwd=checkout, check=True, env={**os.environ, "PYTHON": sys.executable}
    )

    assert 'href="v0.0.1/index.html"' in (tmp_path / "site" / "versions.html").read_text()
    for page in ("how-to/run.html", "v0.0.1/how-to/run.html"):
        path = tmp_path / "site" / page
        (link,) = re.findall(r'href="([^"]*versions\.html)"', path.read_text())
        assert (path.parent / link).resolve() == tmp_path / "site" / "versions.html"
