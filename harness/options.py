"""The plugin's options: each one a flag, an environment variable and an ini key, told apart by one prefix.

`--muster-kubernetes 1.36`, `MUSTER_KUBERNETES=1.36` and `muster_kubernetes = 1.36` are the same; the flag wins over the
variable, the variable over the ini file. Values are checked before anything is started.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.adapters import adapter
from harness.box.artifacts import parse_binaries
from harness.box.kinds import Wanted
from harness.box.nodes import Pool, parse_pools
from harness.core.catalogue import LEVELS, Case
from harness.core.errors import MusterError, UsageError

TABLE = {
    "integration": ("workload", "NAME[@VERSION] of the scheduler to judge"),
    "kubernetes": ("", "Kubernetes version of the box, such as 1.37"),
    "nodes": ("8x8", "nodes of the `box` fixture, COUNTxGPUS"),
    "binary": ("", "COMPONENT.PROCESS=PATH of a binary to use instead; several with commas"),
    "set": ("", "KEY=VALUE for the integration; several with commas"),
    "gates": ("", "GATE=true|false of Kubernetes; several with commas"),
    "output": ("", "folder for histories, logs and results"),
    "timeout-factor": ("1", "multiplies every deadline, for slow machines"),
    "case": ("", "ids of the cases to run; several with commas"),
    "profile": ("all", "core, extended, all, or the name of a profile such as GANG-CORE"),
    "probe": ("", "`true` runs cases whose features the integration does not claim"),
    "repeat": ("1", "how often each case runs"),
    "box": ("embedded", "kind of box: embedded, or kind for real kubelets"),
    "kind-workers": ("", "real workers of a kind box"),
    "image": ("", "node image of a kind box: auto, official, own, or the name of one"),
    "sync": ("", "how often kubelets of a kind box look after their pods, such as 2s; a minute by default"),
    "keep": ("", "`failed` keeps a kind cluster that could not be set up"),
}


@dataclass(frozen=True, slots=True)
class Options:
    """All options, checked."""

    integration: str
    version: str | None
    kubernetes: str | None
    nodes: tuple[Pool, ...]
    binaries: Mapping[str, Path]
    settings: Mapping[str, str]
    gates: Mapping[str, bool]
    output: Path | None
    timeout_factor: float
    cases: tuple[str, ...]
    profile: str
    probe: bool
    repeat: int
    box: Wanted


def add(parser: pytest.Parser) -> None:
    group = parser.getgroup("muster", "gang scheduling conformance")
    for name, (default, help_) in TABLE.items():
        group.addoption(f"--muster-{name}", dest=f"muster_{_dest(name)}", metavar="VALUE", default=None, help=help_)
        parser.addini(f"muster_{_dest(name)}", help_, default=default)


def read(config: pytest.Config) -> Options:
    """The options in force; pytest.UsageError in one sentence if one is wrong."""
    raw = {name: _value(config, name) for name in TABLE}
    try:
        name, _, version = raw["integration"].partition("@")
        raw["kubernetes"] = kubernetes_of(raw["integration"], raw["kubernetes"])
        return Options(
            integration=name,
            version=version or None,
            kubernetes=raw["kubernetes"] or None,
            nodes=tuple(parse_pools(raw["nodes"])),
            binaries=parse_binaries([one for one in raw["binary"].split(",") if one]),
            settings=pairs("set", raw["set"]),
            gates={gate: truth("gates", on) for gate, on in pairs("gates", raw["gates"]).items()},
            output=Path(raw["output"]).absolute() if raw["output"] else None,
            timeout_factor=positive("timeout-factor", raw["timeout-factor"]),
            cases=tuple(one for one in raw["case"].split(",") if one),
            profile=raw["profile"],
            probe=bool(raw["probe"]) and truth("probe", raw["probe"]),
            repeat=int(positive("repeat", raw["repeat"])),
            box=_box(raw),
        )
    except MusterError as error:
        raise pytest.UsageError(str(error)) from error


def kubernetes_of(integration: str, kubernetes: str) -> str:
    """The Kubernetes version that is asked for: that of the native integration is its own, `workload@1.36`."""
    name, _, version = integration.partition("@")
    if not version or adapter(name).component != "kubernetes":
        return kubernetes
    if kubernetes and kubernetes != version:
        raise UsageError(
            f"{integration} is Kubernetes {version}, and --kubernetes asks for {kubernetes}",
            hint="Leave one of the two out.",
        )
    return version


def selects(chosen: Options, case: Case) -> bool:
    """Whether these options ask for the case. Slow cases run only in the profile `all` or when named."""
    if chosen.cases:
        return case.id in chosen.cases
    if chosen.profile == "all":
        return True
    if case.slow:
        return False
    if chosen.profile in LEVELS:
        return LEVELS.index(case.level) <= LEVELS.index(chosen.profile)
    return case.profile == chosen.profile


def _box(raw: Mapping[str, str]) -> Wanted:
    if raw["keep"] not in ("", "failed"):
        raise UsageError(f"keep: expected failed, given {raw['keep']!r}")
    workers = int(positive("kind-workers", raw["kind-workers"])) if raw["kind-workers"] else None
    wanted = Wanted(
        raw["box"], raw["kubernetes"] or None, workers, raw["image"] or None, raw["sync"] or None,
        keep_failed=raw["keep"] == "failed",
    )  # fmt: skip
    wanted.check()
    return wanted


def rerun(chosen: Options, integration: str, kubernetes: str) -> str:
    """The `muster run` command with the same choices."""
    words = ["muster run", f"--integration {integration}", f"--kubernetes {'.'.join(kubernetes.split('.')[:2])}"]
    words += [f"--box {chosen.box.kind}"] if chosen.box.kind != "embedded" else []
    given = {"kind-workers": chosen.box.workers, "image": chosen.box.image, "sync": chosen.box.sync}
    words += [f"--{name} {value}" for name, value in given.items() if value is not None]
    words += [f"--set {shlex.quote(f'{key}={value}')}" for key, value in chosen.settings.items()]
    words += [f"--gate {gate}={str(on).lower()}" for gate, on in chosen.gates.items()]
    words += [f"--binary {name}={path}" for name, path in chosen.binaries.items()]
    words += [f"--timeout-factor {chosen.timeout_factor:g}"] if chosen.timeout_factor != 1 else []
    return " ".join(words)


def pairs(option: str, text: str) -> dict[str, str]:
    """`a=1,b=2` as a mapping; a comma that no KEY= follows belongs to the value."""
    found = {}
    for part in (part for part in re.split(r",(?=[\w.-]+=)", text) if part):
        key, separator, value = part.partition("=")
        if not separator or not key:
            raise UsageError(f"{option}: expected KEY=VALUE, given {part!r}")
        found[key] = value
    return found


def truth(option: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise UsageError(f"{option}: expected true or false, given {text!r}")
    return text.lower() == "true"


def positive(option: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 10_000:
        raise UsageError(f"{option}: expected a positive number, given {text!r}")
    return value


def _value(config: pytest.Config, name: str) -> str:
    given = config.getoption(f"muster_{_dest(name)}")
    if given is not None:
        return str(given)
    variable = os.environ.get(f"MUSTER_{_dest(name).upper()}")
    return variable if variable is not None else str(config.getini(f"muster_{_dest(name)}"))


def _dest(name: str) -> str:
    return name.replace("-", "_")
