"""What a run is asked to do, as one typed value.

`muster run`, `muster prove` and the pytest plugin all make a `RunConfig`. It is checked once, written into the run's
folder as run.json, and read from there by the pytest process that does the work, so that nothing is ever put into
option strings and taken out of them again.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.box.spec import BoxSpec
from harness.core.catalogue.cases import LEVELS, PROFILES, Case
from harness.core.catalogue.selection import ALL, Selection
from harness.core.errors import UsageError
from harness.core.files import as_json, put
from harness.core.text import nearest

FILE = "run.json"
FORMAT = "muster.run/1"
SELECTIONS = (*LEVELS, ALL, *PROFILES)  # what --profile may name
DEFAULT = "workload"  # the integration that is judged if none is named
MOST_SEED = 999_999_999
ORDERS = ("suite", "random")  # in which cases run: as the suites have them, or shuffled


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Everything that decides what a run does."""

    integrations: tuple[str, ...] = (DEFAULT,)  # NAME[@VERSION], run one after another
    box: BoxSpec = field(default_factory=BoxSpec)
    profile: str = ALL  # one of SELECTIONS; several with commas add up
    cases: tuple[str, ...] = ()  # ids; these alone if any is given
    timeout_factor: float = 1.0
    repeat: int = 1
    probe: bool = False  # run cases whose features are not claimed, too
    workers: int = 1  # boxes side by side
    shard: str = ""  # the part of the selected cases that this run judges, such as 2/8; empty: all of them
    order: str = ORDERS[0]  # one of ORDERS
    first: tuple[str, ...] = ()  # ids of cases that run before the others
    seed: int | None = None  # of the random order; the same seed gives the same order
    pauses: bool = False  # components are paused for moments meanwhile (`muster soak`)
    settings: Mapping[str, str] = field(default_factory=dict)  # of the integration
    gates: Mapping[str, bool] = field(default_factory=dict)  # of Kubernetes
    binaries: Mapping[str, Path] = field(default_factory=dict)  # COMPONENT.PROCESS -> its program
    expected: Path | None = None  # the folder of expected verdicts that the run is held against
    implementation_version: str = ""  # of what is judged, in the words of the user; empty: as it is known
    folder: Path | None = None  # where histories, logs and events go; where run.json is, if it was read from there

    def only(self, integration: str) -> RunConfig:
        """The same for one integration alone, in a box of the Kubernetes that its version asks for."""
        if not self.box.installs:  # its Kubernetes is what it is, and is compared with the version later
            return replace(self, integrations=(integration,))
        box = replace(self.box, kubernetes=kubernetes_of(integration, self.box.kubernetes))
        return replace(self, integrations=(integration,), box=box)

    @property
    def selection(self) -> Selection:
        """The part of it that a report stores."""
        return Selection(
            self.integrations,
            self.profile,
            self.cases,
            self.repeat,
            self.probe,
            dict(self.settings),
            dict(self.gates),
            tuple(sorted(self.binaries)),
            self.shard,
        )

    def selects(self, case: Case) -> bool:
        """Whether the case is asked for."""
        return self.selection.selects(case)

    def check(self) -> RunConfig:
        """Itself, if all of it can be used together; UsageError otherwise."""
        for integration in self.integrations:
            _check_integration(integration, self)
        if self.box.kubernetes:
            from harness.box.artifacts import load

            load().lock("kubernetes", self.box.kubernetes)
        for profile in self.profile.split(","):
            if profile not in SELECTIONS:
                hint = f"{nearest(profile, SELECTIONS)}Allowed: {', '.join(SELECTIONS)}."
                raise UsageError(f"there is no profile {profile!r}", hint=hint)
        if self.order not in ORDERS:
            hint = f"{nearest(self.order, ORDERS)}Allowed: {', '.join(ORDERS)}."
            raise UsageError(f"there is no order {self.order!r}", hint=hint)
        if self.seed is not None and self.order != "random":
            raise UsageError(f"--seed {self.seed} has no effect without a random order", hint="Add: --order random")
        self.box.check()
        return self

    def with_seed(self) -> RunConfig:
        """Itself; a random order without a seed gets one, so that the order can be repeated."""
        return (
            replace(self, seed=secrets.randbelow(MOST_SEED + 1))
            if self.order == "random" and self.seed is None
            else self
        )

    def check_cases(self, ids: Collection[str]) -> None:
        """UsageError that offers the nearest id for a case that is not known."""
        for case in self.cases:
            if case not in ids:
                raise UsageError(f"there is no case {case!r}", hint=f"{nearest(case, ids)}See: muster list cases")

    def as_data(self) -> dict[str, Any]:
        plain = asdict(self)
        del plain["folder"]
        paths = {"binaries": {name: str(path) for name, path in self.binaries.items()}}
        return {"format": FORMAT, **plain, **paths, "expected": str(self.expected) if self.expected else None}

    def write(self, folder: Path) -> Path:
        """Write it into the folder of its run."""
        return put(folder / FILE, as_json(self.as_data()))


def read_config(path: Path) -> RunConfig:
    """The configuration that `write` has written; UsageError if it is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data.get("format") != FORMAT:
            raise ValueError(f"expected the format {FORMAT}, given {data.get('format')!r}")
        return _from_data({key: value for key, value in data.items() if key != "format"}, path.absolute().parent)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        hint = "Give the run.json of a folder that `muster run` has made."
        raise UsageError(f"{path} is no configuration of a run: {error}", hint=hint) from error


def _from_data(data: Mapping[str, Any], folder: Path) -> RunConfig:
    typed = {
        "integrations": tuple(data["integrations"]),
        "cases": tuple(data["cases"]),
        "first": tuple(data["first"]),
        "box": BoxSpec(**data["box"]),
        "binaries": {name: Path(path) for name, path in data["binaries"].items()},
        "expected": Path(data["expected"]) if data.get("expected") else None,
    }
    return RunConfig(**{**data, **typed, "folder": folder})


def kubernetes_of(integration: str, kubernetes: str | None) -> str | None:
    """The Kubernetes version that is asked for; that of `workload@1.36` or `volcano+kubernetes-1.36` is its own."""
    from harness.adapters import adapter

    name, _, version = integration.partition("@")
    implementation = adapter(name)
    own_version = implementation.kubernetes
    if version and implementation.component == "kubernetes":
        own_version = version
    if not own_version:
        return kubernetes
    if kubernetes and kubernetes != own_version and not kubernetes.startswith(f"{own_version}."):
        raise UsageError(
            f"{integration} is for Kubernetes {own_version}, and --kubernetes asks for {kubernetes}",
            hint="Leave one of the two out.",
        )
    return kubernetes or own_version


def _check_integration(integration: str, config: RunConfig) -> None:
    from harness.adapters import adapter, names
    from harness.adapters.common.base import Settings, check_options
    from harness.box.artifacts import load

    name, at, version = integration.partition("@")
    if name not in names() or config.settings or at:
        implementation, register = adapter(name), load()
        if at and implementation.component not in register.components:
            raise UsageError(f"{name} has no versions to choose from, {integration!r} was given", hint=f"Say {name}.")
        if at and not version:
            raise UsageError(f"no version after the @ of {integration!r}", hint=f"Give {name}, or {name}@VERSION.")
        if at:
            register.lock(implementation.component, version)
        kubernetes_of(integration, config.box.kubernetes)
        check_options(implementation, Settings(options=config.settings))
