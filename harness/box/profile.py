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

COMPONENTS = ("apiserver", "controllerManager", "scheduler")


@dataclass(frozen=True, slots=True)
class Profile:
    """One Kubernetes minor."""

    minor: str
    group: str  # of the native gang API, e.g. scheduling.k8s.io/v1beta1
    runtime_config: tuple[str, ...]
    gates: Mapping[str, tuple[str, ...]]  # component -> gates that are on
    selectable: Mapping[str, tuple[str, ...]]  # gate -> components that know it

    def gate_flags(self, component: str, wanted: Mapping[str, bool]) -> list[str]:
        """`--feature-gates` of a component: what the version needs, and what the user wants on or off."""
        gates = dict.fromkeys(self.gates[component], True)
        for gate, on in wanted.items():
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
                f"Kubernetes {self.minor} offers no gate {gate!r} here", hint=f"Allowed: {', '.join(allowed)}."
            )
        return builtin or self.selectable[gate]


def profile(version: str) -> Profile:
    """The profile of a version such as 1.37.1; UsageError if muster does not know how to run that minor."""
    minor = ".".join(version.split(".")[:2])
    known = _data()["versions"]
    if minor not in known:
        raise UsageError(
            f"muster does not know how to run Kubernetes {version}", hint=f"Known minors: {', '.join(known)}."
        )
    entry = known[minor]
    return Profile(
        minor=minor,
        group=entry["group"],
        runtime_config=tuple(entry["runtimeConfig"]),
        gates={component: tuple(entry["gates"][component]) for component in COMPONENTS},
        selectable={gate: tuple(homes) for gate, homes in entry["selectable"].items()},
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
