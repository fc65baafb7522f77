"""The register of the proof: the references, which must pass, and the mutants, which must be killed.

A mutant is a reference scheduler or reference controller of ours with one wrong decision (a class that names the cases
and clauses itself), or a real integration that is degraded (an entry of `degraded.yaml`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from harness.adapters import adapter
from harness.adapters.common.base import features_of
from harness.box.artifacts import load
from harness.box.minor import default_minor
from harness.box.spec import BoxSpec
from harness.core.catalogue.cases import Case
from harness.core.errors import HarnessError
from harness.mutation.base import Mutation
from harness.mutation.controllers import jobset_barrier, jobset_gang, lws
from harness.mutation.programs import Program
from harness.mutation.scheduler.mutations import MUTATIONS
from harness.runner.config import RunConfig

SCHEDULER = "reference"  # the integration of the reference scheduler, and its name in the matrix
EVERYWHERE = "*"
DEGRADED = Path(__file__).with_name("degraded.yaml")
UNKILLED = Path(__file__).with_name("unkilled.yaml")
NEEDED = {"name", "about", "integration", "tried_on", "killed_by"}
FIELDS = NEEDED | {"kubernetes", "set", "programs", "quick", "breaks", "target", "survives"}
SHORT = {  # part of the usual deadlines where programs of ours answer within a second
    SCHEDULER: 0.3,
    "jobset-gang": 0.5,
    "jobset-barrier": 0.5,
    "lws-coscheduling": 0.5,
    "lws-yunikorn": 0.5,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """An implementation that the proof runs."""

    name: str
    about: str
    integration: str
    kubernetes: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, Program] = field(default_factory=dict)  # COMPONENT.PROCESS -> what is started instead
    tried_on: tuple[str, ...] = ()  # folders and ids of cases

    @property
    def cases(self) -> frozenset[str]:
        """Folders and ids of the cases that it is run on."""
        return frozenset(self.tried_on)

    def meant_for(self, case: Case) -> bool:
        """Whether it is to be tried on the case, and its integration claims what the case needs."""
        if self.cases.isdisjoint({EVERYWHERE, case.folder, case.id}):
            return False
        kubernetes = self.kubernetes or default_minor()
        return not case.unmet(self.integration, _features(self.integration, kubernetes), kubernetes)

    def config(self, cases: Sequence[str], factor: float, folder: Path, boxes: int = 1) -> RunConfig:
        """A run of these cases; launchers of its programs are written into the folder."""
        launchers = {name: program.launcher(name, folder, self.kubernetes) for name, program in self.programs.items()}
        return RunConfig(
            integrations=(self.integration,),
            box=BoxSpec(kubernetes=self.kubernetes or None),
            cases=tuple(cases),
            timeout_factor=factor * SHORT.get(self.integration, 1.0),
            workers=boxes,
            settings=self.settings,
            binaries=launchers,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant(Subject):
    """An implementation that must be killed: at least one case must turn red."""

    target: str = "scheduler"  # or controller
    killed_by: tuple[str, ...] = ()  # cases that must turn red; the quick proof runs the first
    breaks: tuple[str, ...] = ()  # clauses of the register
    survives: str = ""  # why no case kills it yet
    quick: bool = False

    @property
    def cases(self) -> frozenset[str]:
        return frozenset((*self.tried_on, *self.killed_by))

    @property
    def how(self) -> str:
        """By what it is wrong: class, flags or objects."""
        if self.programs:
            return max(program.how for program in self.programs.values())
        return "class" if self.settings.get("mutant") in MUTATIONS else "flags"

    @property
    def reference(self) -> str:
        """The name of the reference that must pass the same cases."""
        return SCHEDULER if self.target == "scheduler" else f"{self.integration}/reference"


def references() -> list[Subject]:
    """The implementations that must pass every case they are run on."""
    scheduler = Subject(name=SCHEDULER, about="the reference scheduler", integration=SCHEDULER, tried_on=(EVERYWHERE,))
    controlled = dict.fromkeys(mutant.integration for mutant in mutants() if mutant.target == "controller")
    return [
        scheduler,
        *(
            Subject(
                name=f"{integration}/reference",
                about="the controller without a mutation",
                integration=integration,
                tried_on=(EVERYWHERE,),
            )
            for integration in controlled
        ),
    ]


@cache
def _features(integration: str, kubernetes: str) -> frozenset[str]:
    """What an integration claims there; the register is read for it, which takes its time."""
    return features_of(adapter(integration), kubernetes)


@cache
def mutants() -> tuple[Mutant, ...]:
    """Every mutant: of the scheduler first, those that most cases kill at the head."""
    return (*_scheduler_mutants(), *_degraded(), *_controller_mutants())


@cache
def unkilled() -> Mapping[str, str]:
    """The cases that no mutant can turn red, each with the reason."""
    reasons: dict[str, str] = yaml.safe_load(UNKILLED.read_text(encoding="utf-8")) or {}
    return reasons


def _scheduler_mutants() -> Iterator[Mutant]:
    for name, mutation in MUTATIONS.items():
        yield Mutant(
            name=name, integration=SCHEDULER, tried_on=(EVERYWHERE,), settings={"mutant": name}, **_declared(mutation)
        )


def _controller_mutants() -> Iterator[Mutant]:
    for integration, binary, module, mutations, tried_on in (
        ("jobset-gang", "jobset-gang.controller", "jobset_gang", jobset_gang.MUTATIONS, ("jobset_gang",)),
        (
            "jobset-barrier",
            "jobset-barrier.controller",
            "jobset_barrier",
            jobset_barrier.MUTATIONS,
            ("jobset_barrier",),
        ),
        ("lws-coscheduling", "lws.provider", "lws", lws.MUTATIONS["coscheduling"], ()),
        ("lws-yunikorn", "lws.provider", "lws", lws.MUTATIONS["yunikorn"], ()),
    ):
        for name, mutation in mutations.items():
            program = Program(module=(f"harness.mutation.controllers.{module}", "--mutant", name))
            yield Mutant(
                name=f"{integration}/{name}",
                integration=integration,
                tried_on=tried_on,
                target="controller",
                programs={binary: program},
                **_declared(mutation),
            )


def _declared(mutation: object) -> dict[str, Any]:
    """What the class of a mutation says about itself."""
    assert isinstance(mutation, type) and issubclass(mutation, Mutation)
    return {
        "about": mutation.__doc__ or "",
        "killed_by": mutation.killed_by,
        "breaks": mutation.breaks,
        "survives": mutation.survives,
        "quick": mutation.quick,
    }


def _degraded() -> Iterator[Mutant]:
    for entry in yaml.safe_load(DEGRADED.read_text(encoding="utf-8")):
        if unknown := sorted(set(entry) - FIELDS):
            raise HarnessError(f"{DEGRADED}: {entry.get('name')} has {unknown[0]!r}, which is none of {sorted(FIELDS)}")
        if missing := sorted(NEEDED - set(entry)):
            raise HarnessError(f"{DEGRADED}: {entry.get('name')} has no {missing[0]!r}")
        for program in entry.get("programs", ()):
            load().process(program)
        yield Mutant(
            name=entry["name"],
            about=entry["about"],
            integration=entry["integration"],
            kubernetes=str(entry.get("kubernetes", "")),
            settings=entry.get("set", {}),
            programs={name: _program(fields) for name, fields in entry.get("programs", {}).items()},
            tried_on=tuple(entry["tried_on"]),
            target=entry.get("target", "scheduler"),
            killed_by=tuple(entry["killed_by"]),
            breaks=tuple(entry.get("breaks", ())),
            survives=entry.get("survives", ""),
            quick=entry.get("quick", False),
        )


def _program(fields: Mapping[str, Any]) -> Program:
    return Program(**{**fields, "flags": tuple(fields.get("flags", ()))})
