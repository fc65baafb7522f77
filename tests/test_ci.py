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


_EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
_OUTPUT = re.compile(r"(?m)^([\w-]+)(?:=(.*)|<<(\S+)\n((?s:.*?))\n\3)$")


def outputs_in(text: str) -> dict[str, str]:
    """What a step has written to its file of outputs, in either of the two forms."""
    return {match[1]: match[2] if match[3] is None else match[4] for match in _OUTPUT.finditer(text)}


def follow(action: Path, folder: Path, temporary: Path, **inputs: str) -> dict[str, dict[str, str]]:
    """Run the scripts of a composite action one after another as a runner does; their outputs by step."""
    data = yaml.safe_load(action.read_text(encoding="utf-8"))
    values = {f"inputs.{name}": str(about["default"]) for name, about in data["inputs"].items()}
    values |= {f"inputs.{name}": value for name, value in inputs.items()}
    values |= {"github.action_path": str(action.parent), "runner.temp": str(temporary)}
    outputs: dict[str, dict[str, str]] = {}
    for step in data["runs"]["steps"]:
        if "run" not in step or "if" in step:
            continue
        variables = {
            name: _EXPRESSION.sub(lambda match: values[match[1]], text) for name, text in step.get("env", {}).items()
        }
        output, summary = temporary / "output", temporary / "summary"
        output.write_text("")
        files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary), "RUNNER_TEMP": str(temporary)}
        environment = {**os.environ, "GITHUB_ACTIONS": "true", **files, **variables}
        subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step["run"]], cwd=folder, env=environment, check=True)
        results = outputs_in(output.read_text())
        outputs[step.get("id", "")] = results
        values.update({f"steps.{step.get('id')}.outputs.{name}": value for name, value in results.items()})
    return outputs


@pytest.mark.thorough
def test_a_vendors_workflow_runs_from_another_repository(tmp_path: Path) -> None:
    """The steps of the how-to's workflow: its inputs, with one case instead of a profile so that it takes a minute."""
    page = (ROOT / "docs" / "how-to" / "vendors.md").read_text(encoding="utf-8")
    workflow = yaml.safe_load(page.split("```yaml\n", 1)[1].split("```", 1)[0])
    inputs = workflow["jobs"]["gangs"]["steps"][-1]["with"]
    assert inputs == {"integration": "${{ matrix.integration }}", "expected": "ci/expected"}
    repository, temporary = tmp_path / "vendor", tmp_path / "runner"
    (repository / "ci" / "expected").mkdir(parents=True)
    temporary.mkdir()
    baseline = next((ROOT / "ci" / "expected").glob("workload@1.37.*.yaml"))
    (repository / "ci" / "expected" / baseline.name).write_bytes(baseline.read_bytes())
    source = os.environ.get("MUSTER_SOURCE", "build")
    more = {"source": source, "arguments": "--case=gang-of-one-is-bound\n--case=gang-without-room-binds-nothing"}
    outputs = follow(ACTION / "action.yml", repository, temporary, **{**inputs, "integration": "workload"}, **more)
    counts = {name: outputs["run"][name] for name in ("outcome", "passed", "violated", "unexpected", "unknown")}
    assert counts == {"outcome": "pass", "passed": "2", "violated": "0", "unexpected": "0", "unknown": "0"}
    assert (repository / outputs["run"]["folder"] / "report.yaml").is_file()
    assert (temporary / "summary").read_text()
    assert {path.name for path in repository.iterdir()} == {"ci", "muster-runs"}


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
