"""Whom the suite must catch: our own sinners, and real schedulers with a handicap.

Both are data: sinners say it of themselves (`tests/mutants --list`), the others stand in `tests/mutants/controls.yaml`.
A program of a real scheduler is handicapped by a script that starts it with other flags, with objects in place before
it, or with a meddler beside it, and that is given to the run as `--binary` is.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.adapters import adapter
from harness.adapters.control import mutants_root
from harness.box.artifacts import load, resolve
from harness.box.profile import default_minor
from harness.core.catalogue import Case
from harness.core.errors import HarnessError

HONEST = "honest"
EVERYWHERE = "*"
NEEDED = {"name", "about", "integration", "tried_on", "caught_by"}
FIELDS = NEEDED | {"kubernetes", "set", "programs", "quick"}
LISTING = 60.0  # seconds in which the control schedulers must have said who they are
OWN_PATIENCE = 0.3  # of the usual deadlines: our own schedulers answer in milliseconds, so waiting for one can be short


@dataclass(frozen=True, slots=True)
class Control:
    """A scheduler that must be caught, or the honest one, which must not."""

    name: str
    about: str
    caught_by: tuple[str, ...] = ()  # cases that must turn red; the quick form runs the first
    tried_on: tuple[str, ...] = ()  # folders and ids of further cases that it is for
    integration: str = "control"
    kubernetes: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # COMPONENT.PROCESS -> its handicap
    quick: bool = False

    def meant_for(self, case: Case) -> bool:
        """Whether it is to be tried on the case, and its integration claims what the case needs."""
        chosen = adapter(self.integration)
        kubernetes = f"{self.kubernetes or default_minor()}.0"
        able = not case.unmet(chosen.title, chosen.features("", kubernetes), kubernetes)
        return able and bool({EVERYWHERE, case.folder, case.id} & {*self.tried_on, *self.caught_by})

    def options(self, cases: Sequence[str], factor: float, folder: Path) -> tuple[str, ...]:
        """The flags of a run of these cases; what it is handicapped by is written into the folder."""
        patience = factor * (OWN_PATIENCE if self.integration == "control" else 1.0)
        found = ["--muster-profile=all", f"--muster-timeout-factor={patience:g}", f"--muster-case={','.join(cases)}"]
        scripts = [f"{name}={self._script(name, folder)}" for name in self.programs]
        chosen = [f"{key}={value}" for key, value in self.settings.items()]
        for flag, values in (("binary", scripts), ("set", chosen)):
            found += [f"--muster-{flag}={','.join(values)}"] if values else []
        return (*found, f"--muster-kubernetes={self.kubernetes}") if self.kubernetes else tuple(found)

    def _script(self, name: str, folder: Path) -> Path:
        """An executable that starts the program with its handicap."""
        component, _, process = name.partition(".")
        version = (self.kubernetes or default_minor()) if component == "kubernetes" else None
        handicap = self.programs[name]
        root = mutants_root()
        words = [str(resolve(component, version).binaries[process])]
        if "objects" in handicap or "meddler" in handicap:
            objects = ["--objects", str(root / "handicaps" / handicap["objects"])] if "objects" in handicap else []
            meddler = ["--meddler"] if handicap.get("meddler") else []
            words = [sys.executable, str(root / "handicapped.py"), *objects, *meddler, "--", *words]
        script = folder / name
        line = f'{shlex.join(words)} "$@" {shlex.join(handicap.get("flags", ()))}'
        script.write_text(f"#!/bin/sh\nexec {line.rstrip()}\n")
        script.chmod(0o755)
        return script.absolute()


def honest() -> Control:
    """The scheduler that must pass everything it is asked for."""
    return Control(HONEST, "keeps every law", tried_on=(EVERYWHERE,))


def controls() -> list[Control]:
    """Everyone who must be caught, those first whom most cases notice."""
    return [*_sinners(), *_handicapped()]


def _sinners() -> list[Control]:
    command = [sys.executable, str(mutants_root()), "--list"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LISTING)
    except subprocess.TimeoutExpired as error:
        raise HarnessError(f"the control schedulers were not listed within {LISTING:.0f} s") from error
    if answer.returncode != 0:
        raise HarnessError(f"the control schedulers cannot be listed:\n{answer.stderr.strip()[-500:]}")
    return [
        Control(
            one["name"], one["about"], tuple(one["caught_by"]), (EVERYWHERE,), settings={"sin": one["name"]},
            quick=one["quick"],
        )
        for one in json.loads(answer.stdout)
    ]  # fmt: skip


def _handicapped() -> list[Control]:
    path = mutants_root() / "controls.yaml"
    found = []
    for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
        if unknown := sorted(set(entry) - FIELDS):
            raise HarnessError(f"{path}: {entry.get('name')} has {unknown[0]!r}, which is none of {sorted(FIELDS)}")
        if missing := sorted(NEEDED - set(entry)):
            raise HarnessError(f"{path}: {entry.get('name')} has no {missing[0]!r}")
        for program in entry.get("programs", ()):
            load().process(program)
        found.append(
            Control(
                entry["name"], entry["about"], tuple(entry["caught_by"]), tuple(entry["tried_on"]),
                entry["integration"], str(entry.get("kubernetes", "")), entry.get("set", {}),
                entry.get("programs", {}), entry.get("quick", False),
            )
        )  # fmt: skip
    return found
