"""Programs that are started in place of others, and what the register says about them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness.mutation import programs
from harness.mutation.degrade import replaced, staying_off
from harness.mutation.mutants import Mutant, mutants
from harness.mutation.programs import Program


def test_a_launcher_starts_the_program_with_further_flags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Program, "_command", lambda self, name, kubernetes: ["/bin/echo", "a b"])

    launcher = Program(flags=("--last", "c d")).launcher("tool.process", tmp_path, "")

    assert launcher == tmp_path / "tool.process"
    assert subprocess.check_output([launcher, "x", "y z"], text=True) == "a b x y z --last c d\n"


def test_a_launcher_starts_a_module_of_ours(tmp_path: Path) -> None:
    module = ("harness.mutation.degrade", "--replace", "off.yaml=on.yaml", "--", "/bin/echo")

    launcher = Program(module=module).launcher("tool.process", tmp_path, "")

    assert subprocess.check_output([launcher, "--config=off.yaml"], text=True) == "--config=on.yaml\n"


def test_a_degraded_program_is_the_one_that_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    class Built:
        binaries = {"controller": Path("/built/controller")}  # noqa: RUF012

    monkeypatch.setattr(programs, "resolve", lambda component, version: Built)

    command = Program(objects="endless-replicas.yaml")._command("lws.controller", "")

    assert command[1:4] == ["-m", "harness.mutation.degrade", "--objects"]
    assert command[-2:] == ["--", "/built/controller"]
    assert Program()._command("lws.controller", "") == ["/built/controller"]


def test_only_arguments_are_replaced() -> None:
    assert replaced(["/off/program", "--config=off", "--off"], ["off=on"]) == ["/off/program", "--config=on", "--on"]


def test_a_gate_stays_off_once_it_was_off(tmp_path: Path) -> None:
    on, off = (["program", f"--feature-gates=Gangs={value},Others=true"] for value in ("true", "false"))

    assert staying_off(on, "Gangs", tmp_path / "memory") == on
    assert staying_off(off, "Gangs", tmp_path / "memory") == off
    assert staying_off(on, "Gangs", tmp_path / "memory") == off


@pytest.mark.parametrize(
    ("name", "how", "reference"),
    [
        ("pod-by-pod", "class", "reference"),
        ("kube-scheduler", "flags", "reference"),
        ("volcano-without-gang", "flags", "reference"),
        ("careless-api-1.36", "objects", "reference"),
        ("interfering-controller", "objects", "reference"),
        ("jobset-gang/no-owner", "class", "jobset-gang/reference"),
        ("lws-always-on", "flags", "lws/reference"),
    ],
)
def test_a_mutant_says_by_what_it_is_wrong_and_what_it_is_compared_with(name: str, how: str, reference: str) -> None:
    mutant: Mutant = next(mutant for mutant in mutants() if mutant.name == name)

    assert (mutant.how, mutant.reference) == (how, reference)
