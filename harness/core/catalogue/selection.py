"""Which cases a run was asked for, and of how many: what a report needs to say that a profile is whole.

A report that holds one case of a profile must not look like a report of the profile. So a run stores what was selected,
and how many cases its catalogue has per profile and level, with a digest of the catalogue's declarations. Readers
with the same catalogue can then compare case by case.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.core.catalogue.cases import LEVELS, Case
from harness.core.shard import parse_shard

ALL = "all"  # the selection of every case


@dataclass(frozen=True, slots=True)
class Selection:
    """What a run was asked to judge, and the settings that may change a verdict."""

    integrations: tuple[str, ...] = ()  # NAME[@VERSION], as they were named
    profile: str = ALL  # `all`, a level or a profile; several with commas add up
    cases: tuple[str, ...] = ()  # ids; these alone if any is named
    repeat: int = 1
    probe: bool = False  # cases whose features are not claimed run, too
    settings: Mapping[str, str] = field(default_factory=dict)  # of the integration
    gates: Mapping[str, bool] = field(default_factory=dict)  # of Kubernetes
    binaries: tuple[str, ...] = ()  # COMPONENT.PROCESS of each program that was replaced
    shard: str = ""  # the part of it that this run judges, such as 2/8; empty: all of it

    def selects(self, case: Case) -> bool:
        """Whether the case is asked for. Slow cases run only in the profile `all` or when named."""
        if self.shard and not parse_shard(self.shard).has_name(case.id):
            return False
        if self.cases:
            return case.id in self.cases
        return any(_belongs(case, profile) for profile in self.profile.split(","))

    @property
    def named(self) -> tuple[str, ...]:
        """The cases that are asked for by name and belong to this part; none if all cases of a profile are."""
        return tuple(case for case in self.cases if parse_shard(self.shard).has_name(case))


def _belongs(case: Case, profile: str) -> bool:
    if profile == ALL:
        return True
    if case.slow:
        return False
    if profile in LEVELS:
        return LEVELS.index(case.level) <= LEVELS.index(profile)
    return case.profile == profile


@dataclass(frozen=True, slots=True)
class CatalogueSize:
    """The catalogue of a run: its digest, and how many cases each level of each profile has."""

    digest: str = ""
    cases: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # profile -> level -> number

    def total(self, profile: str, level: str) -> int:
        """How many cases the level has; 0 if that is not known."""
        return self.cases.get(profile, {}).get(level, 0)


def catalogue_size(cases: Iterable[Case]) -> CatalogueSize:
    """The size and the digest of a catalogue; the digest is over the declarations, not over the code of the cases."""
    declared = sorted((asdict(case) for case in cases), key=lambda data: str(data["id"]))
    counts: dict[str, dict[str, int]] = {}
    for data in declared:
        levels = counts.setdefault(data["profile"], {})
        levels[data["level"]] = levels.get(data["level"], 0) + 1
    ordered = {profile: {level: counts[profile].get(level, 0) for level in LEVELS} for profile in sorted(counts)}
    return CatalogueSize("sha256:" + hashlib.sha256(json.dumps(declared).encode()).hexdigest(), ordered)


def selection_from_data(data: Mapping[str, Any]) -> Selection:
    """The selection that `asdict` described."""
    plain: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    return Selection(**plain)
