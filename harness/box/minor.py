"""How each Kubernetes version is run, read from clusters/kubernetes.yaml.

Gang scheduling changes its API group, its gates and their homes with every minor release. That is data, so it lives in
a file; this module turns it into command lines and refuses what a version does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from harness.box.data import data_root
from harness.core.errors import UsageError
from harness.core.gang_api import GangApi

COMPONENTS = ("apiserver", "controllerManager", "scheduler")


@dataclass(frozen=True, slots=True)
class Minor:
    """One minor release of Kubernetes."""

    version: str  # e.g. 1.37
    gang_api: GangApi
    components: Mapping[str, str]  # component -> range of its versions that go with this minor
    runtime_config: tuple[str, ...]
    gates: Mapping[str, tuple[str, ...]]  # component -> gates that are on
    selectable: Mapping[str, tuple[str, ...]]  # gate -> components that know it

    def gate_flags(self, component: str, changes: Mapping[str, bool]) -> list[str]:
        """`--feature-gates` of a component: what the version needs, and what the user wants on or off."""
        gates = dict.fromkeys(self.gates[component], True)
        for gate, on in changes.items():
            if component in self.homes(gate):
                gates[gate] = on
        text = ",".join(f"{gate}={str(on).lower()}" for gate, on in sorted(gates.items()))
        return [f"--feature-gates={text}"] if text else []

    def homes(self, gate: str) -> tuple[str, ...]:
        """The components a gate is set in; UsageError if this version does not offer it."""
        builtin = tuple(component for component in COMPONENTS if gate in self.gates[component])
        if not builtin and gate not in self.selectable:
            allowed = sorted({*self.selectable, *(g for gates in self.gates.values() for g in gates)})
            raise UsageError(
                f"Kubernetes {self.version} offers no gate {gate!r} here", hint=f"Allowed: {', '.join(allowed)}."
            )
        return builtin or self.selectable[gate]


def minor_of(version: str) -> Minor:
    """The minor of a version such as 1.37.1; UsageError if muster does not know how to run that minor."""
    name = ".".join(version.split(".")[:2])
    versions = _data()["versions"]
    if name not in versions:
        raise UsageError(
            f"muster does not know how to run Kubernetes {version}", hint=f"Known minors: {', '.join(versions)}."
        )
    entry = versions[name]
    return Minor(
        version=name,
        gang_api=_gang_api(entry["gangApi"]),
        components=entry["components"],
        runtime_config=tuple(entry["runtimeConfig"]),
        gates={component: tuple(entry["gates"][component]) for component in COMPONENTS},
        selectable={gate: tuple(homes) for gate, homes in entry["selectable"].items()},
    )


def minors() -> list[str]:
    """Every minor that muster knows how to run, the newest first."""
    return sorted(_data()["versions"], key=lambda minor: tuple(map(int, minor.split("."))), reverse=True)


def gang_apis() -> list[GangApi]:
    """Every release of the gang API, the newest first."""
    return [_gang_api(_data()["versions"][minor]["gangApi"]) for minor in minors()]


def _gang_api(entry: Mapping[str, Any]) -> GangApi:
    return GangApi(
        version=entry["version"],
        kinds=tuple(entry["kinds"]),
        groups_field=entry["groups"],
        policy_field=entry["policy"],
        reference=entry["reference"],
        origin=entry["origin"],
        disruption=entry["disruption"],
    )


def default_minor() -> str:
    return str(_data()["default"])


def flags(component: str, **values: Any) -> list[str]:
    """The flags of a component that do not depend on the version, filled in."""
    return [flag.format(**values) for flag in _data()["flags"][component]]


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    path = data_root() / "clusters" / "kubernetes.yaml"
    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return data
