"""The options of a run: one table, for `muster run` and for the pytest plugin.

`muster run --kubernetes 1.36` is `pytest --muster-kubernetes 1.36`, and for pytest also `MUSTER_KUBERNETES=1.36` in the
environment and `muster_kubernetes = 1.36` in an ini file; the flag wins over the variable, the variable over the ini
file. Each option is parsed here and nowhere else, and all of them together become one `RunConfig`.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.box.spec import EXISTING, BoxSpec
from harness.core.catalogue.selection import ALL
from harness.core.errors import MusterError, UsageError
from harness.core.shard import parse_shard
from harness.runner.config import DEFAULT, MOST_SEED, ORDERS, RunConfig, kubernetes_of, read_config

if TYPE_CHECKING:
    import pytest

    from harness.box.nodes import Pool

Texts = Sequence[str]
CONFIG = "config"
NODES = "nodes"
FURTHER = {  # of the plugin alone
    CONFIG: ("", "run.json of a run to do; every other option but the integration is taken from it"),
    NODES: ("8x8", "nodes of the `box` fixture, COUNTxGPUS"),
    "output": ("", "folder for histories, logs and results"),
}


def whole(low: int, high: int, option: str, texts: Texts) -> int:
    text = texts[-1]
    if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
        raise UsageError(f"{option}: expected a whole number from {low} to {high}, given {text!r}")
    return int(text)


def positive(option: str, texts: Texts) -> float:
    try:
        value = float(texts[-1])
    except ValueError:
        value = 0.0
    if not 0 < value < 10_000:
        raise UsageError(f"{option}: expected a positive number, given {texts[-1]!r}")
    return value


def truth(option: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise UsageError(f"{option}: expected true or false, given {text!r}")
    return text.lower() == "true"


def names(option: str, texts: Texts) -> tuple[str, ...]:
    """Names, several in one text with commas, each once."""
    return tuple(dict.fromkeys(name.strip() for text in texts for name in text.split(",") if name.strip()))


def pairs(option: str, texts: Texts) -> dict[str, str]:
    """`a=1,b=2` of each text as one mapping; a comma that no KEY= follows belongs to the value."""
    values: dict[str, str] = {}
    for part in (part for text in texts for part in re.split(r",(?=[\w.-]+=)", text) if part):
        key, separator, value = part.partition("=")
        if not separator or not key:
            raise UsageError(f"{option}: expected KEY=VALUE, given {part!r}")
        if key in values:
            raise UsageError(f"{option}: {key} is given twice: {values[key]!r} and {value!r}")
        values[key] = value
    return values


def gates(option: str, texts: Texts) -> dict[str, bool]:
    return {gate: truth(f"{option} {gate}", value) for gate, value in pairs(option, texts).items()}


def binaries(option: str, texts: Texts) -> dict[str, Path]:
    """Programs; a comma that no COMPONENT.PROCESS= follows belongs to the path."""
    from harness.box.artifacts import parse_binaries

    return parse_binaries([part for text in texts for part in re.split(r",(?=[\w-]+\.[\w-]+=)", text)], option=option)


def _keep(option: str, texts: Texts) -> bool:
    if texts[-1] != "failed":
        raise UsageError(f"{option}: expected failed, given {texts[-1]!r}")
    return True


def _version(option: str, texts: Texts) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,59}", texts[-1]):
        raise UsageError(f"{option}: expected letters, digits and ._+-, given {texts[-1]!r}")
    return texts[-1]


def _shard(option: str, texts: Texts) -> str:
    return str(parse_shard(texts[-1], option))


def _joined(option: str, texts: Texts) -> str:
    return ",".join(names(option, texts))


def _last(option: str, texts: Texts) -> str:
    return texts[-1]


def _flag(option: str, texts: Texts) -> bool:
    return truth(option, texts[-1])


def _some(value: object) -> list[str]:
    """The text of a value that may be missing."""
    return [] if value is None or value == "" else [str(value)]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a run, and how its value is read from texts and written as such."""

    name: str
    help: str
    parse: Callable[[str, Texts], Any]  # (the option as the user knows it, at least one text)
    texts: Callable[[RunConfig], Texts]  # what a user gives to have the value of this configuration; none: the default
    metavar: str = "VALUE"
    default: str = ""  # of the plugin
    is_many: bool = False  # whether it may be given several times
    is_flag: bool = False
    short: str = ""  # a second name, of `muster run`
    run_default: str | None = None  # of `muster run`, if it is another one
    is_repeated: bool = True  # whether running a case again needs it

    @property
    def shown_default(self) -> str:
        """The default of `muster run`."""
        return self.default if self.run_default is None else self.run_default

    def arguments(self, config: RunConfig) -> list[str]:
        """Words of a command line that give it the value of this configuration."""
        texts = self.texts(config)
        return [f"--{self.name}"] * len(texts) if self.is_flag else [w for t in texts for w in (f"--{self.name}", t)]


OPTIONS = (
    Option(
        "integration",
        "Scheduler to judge; several are run one after another.",
        names,
        lambda config: config.integrations if config.integrations != (DEFAULT,) else (),
        "NAME[@VERSION]",
        DEFAULT,
        is_many=True,
        is_repeated=False,  # with the version that was judged
    ),
    Option(
        "kubernetes",
        "Kubernetes version of the box.",
        _last,
        lambda config: _some(config.box.kubernetes),
        "X.Y[.Z]",
        is_repeated=False,
    ),
    Option(
        "profile",
        "core, extended, all, or a profile such as GANG-CORE; several add up.",
        _joined,
        lambda config: config.profile.split(","),
        "LEVEL|NAME",
        ALL,
        is_many=True,
        run_default="core",
        is_repeated=False,
    ),
    Option(
        "box",
        "embedded, kind, or existing, which --kubeconfig implies.",
        _last,
        lambda config: _some(config.box.kind) if config.box.kind not in (BoxSpec().kind, EXISTING) else (),
        "KIND",
    ),
    Option(
        "kubeconfig",
        "Judge what is installed in a cluster that is already there.",
        _last,
        lambda config: _some(config.box.kubeconfig),
        "FILE",
    ),
    Option(
        "context",
        "The context of the kubeconfig that is meant; it is never guessed.",
        _last,
        lambda config: _some(config.box.context),
        "NAME",
    ),
    Option(
        "audit-log",
        "The audit log of an existing cluster's API server, if it is a file here.",
        _last,
        lambda config: _some(config.box.audit_log),
        "FILE",
    ),
    Option(
        "nodes-selector",
        "Real nodes of an existing cluster that cases may use, by label; fake ones if not given.",
        _last,
        lambda config: _some(config.box.nodes_selector),
        "LABELS",
    ),
    Option(
        "pause-image",
        "What pods of cases run on real nodes; registry.k8s.io/pause if not given.",
        _last,
        lambda config: _some(config.box.pause_image),
        "IMAGE",
    ),
    Option(
        "disrupt",
        "What cases may disturb in an existing cluster: scheduler, queues.",
        _joined,
        lambda config: _some(config.box.disrupt),
        "WHAT",
        is_many=True,
    ),
    Option(
        "kind-workers",
        "Real workers of a kind box; 2 if not given.",
        partial(whole, 1, 20),
        lambda config: _some(config.box.workers),
        "COUNT",
    ),
    Option(
        "image",
        "Node image of a kind box: auto, official, own, or the name of one.",
        _last,
        lambda config: _some(config.box.image),
        "IMAGE",
    ),
    Option(
        "sync",
        "How often kubelets of a kind box look after their pods, such as 2s.",
        _last,
        lambda config: _some(config.box.sync),
        "TIME",
    ),
    Option(
        "keep",
        "`failed` keeps the box of the first violation, or a kind cluster that could not be set up.",
        _keep,
        lambda config: ["failed"] if config.box.keep_failed else (),
        "failed",
        is_repeated=False,
    ),
    Option(
        "spare",
        "Leave a box ready for the next run, which takes it if it has --spare too; it ends after five minutes.",
        _flag,
        lambda config: ["true"] if config.box.spare else (),
        "true",
        is_flag=True,
        is_repeated=False,
    ),
    Option(
        "case",
        "Only this case; several may be given.",
        names,
        lambda config: config.cases,
        "ID",
        is_many=True,
        is_repeated=False,
    ),
    Option(
        "workers",
        "Cases side by side, a box each.",
        partial(whole, 1, 64),
        lambda config: _some(config.workers) if config.workers != 1 else (),
        "COUNT",
        "1",
        short="-n",
        is_repeated=False,
    ),
    Option(
        "shard",
        "Only this part of the work, such as 2/8; `muster report merge` puts the parts together.",
        _shard,
        lambda config: _some(config.shard),
        "INDEX/COUNT",
        is_repeated=False,
    ),
    Option(
        "binary",
        "Use this program instead.",
        binaries,
        lambda config: [f"{name}={path}" for name, path in config.binaries.items()],
        "COMPONENT.PROCESS=PATH",
        is_many=True,
    ),
    Option(
        "implementation-version",
        "What the report calls the version of a program that was given; `given` if not stated.",
        _version,
        lambda config: _some(config.implementation_version),
        "TEXT",
    ),
    Option(
        "set",
        "Setting of the integration.",
        pairs,
        lambda config: [f"{key}={value}" for key, value in config.settings.items()],
        "KEY=VALUE",
        is_many=True,
    ),
    Option(
        "gate",
        "Feature gate of Kubernetes.",
        gates,
        lambda config: [f"{gate}={str(on).lower()}" for gate, on in config.gates.items()],
        "GATE=true|false",
        is_many=True,
    ),
    Option(
        "timeout-factor",
        "Multiplies every deadline, for slow machines.",
        positive,
        lambda config: [f"{config.timeout_factor:g}"] if config.timeout_factor != 1 else (),
        "NUMBER",
        "1",
    ),
    Option(
        "repeat",
        "Run each case this often.",
        partial(whole, 1, 1000),
        lambda config: _some(config.repeat) if config.repeat != 1 else (),
        "COUNT",
        "1",
        is_repeated=False,
    ),
    Option(
        "order",
        "suite, or random: shuffled by the seed.",
        _last,
        lambda config: _some(config.order) if config.order != ORDERS[0] else (),
        "|".join(ORDERS),
        ORDERS[0],
        is_repeated=False,
    ),
    Option(
        "seed",
        "Seed of the random order; a new one if not given.",
        partial(whole, 0, MOST_SEED),
        lambda config: _some(config.seed),
        "NUMBER",
        is_repeated=False,
    ),
    Option(
        "probe",
        "Also run cases whose features are not claimed.",
        _flag,
        lambda config: ["true"] if config.probe else (),
        "true",
        is_flag=True,
    ),
)
PLUGIN_OPTIONS = tuple(option for option in OPTIONS if option.name != "workers")  # pytest-xdist has its own -n


def parse(texts: Mapping[str, Texts], prefix: str = "--") -> RunConfig:
    """The configuration that these texts ask for, by the names of the options; UsageError if it cannot be meant."""
    values: dict[str, Any] = {}
    for option in OPTIONS:
        values[option.name] = _value(option, texts.get(option.name, ()), f"{prefix}{option.name}")
    box = BoxSpec(
        values["box"] or (EXISTING if values["kubeconfig"] else BoxSpec().kind),
        values["kubernetes"],
        values["kind-workers"],
        values["image"],
        values["sync"],
        keep_failed=bool(values["keep"]),
        kubeconfig=values["kubeconfig"],
        context=values["context"],
        audit_log=values["audit-log"],
        nodes_selector=values["nodes-selector"],
        pause_image=values["pause-image"],
        disrupt=values["disrupt"],
        spare=bool(values["spare"]),
    )
    return RunConfig(
        integrations=values["integration"],
        box=box,
        profile=values["profile"],
        cases=values["case"] or (),
        timeout_factor=values["timeout-factor"],
        repeat=values["repeat"],
        probe=bool(values["probe"]),
        workers=values["workers"],
        shard=values["shard"] or "",
        order=values["order"],
        seed=values["seed"],
        settings=values["set"] or {},
        gates=values["gate"] or {},
        binaries=values["binary"] or {},
        implementation_version=values["implementation-version"] or "",
    ).check()


def _value(option: Option, texts: Texts, label: str) -> Any:
    """The parsed value of an option; None if nothing is given and it has no default."""
    if any(not text.strip(" ,") for text in texts):
        raise UsageError(f"{label}: expected {option.metavar}, given nothing", hint="Leave it out to have the default.")
    texts = texts or ([option.default] if option.default else [])
    return option.parse(label, texts) if texts else None


def rerun_command(config: RunConfig, kubernetes: str) -> str:
    """The `muster run` command for the same integration in a box of the same kind; cases are added to it."""
    (integration,) = config.integrations
    command = ["muster", "run", "--integration", integration]
    if kubernetes_of(integration, None) is None and config.box.kind != EXISTING:
        command += ["--kubernetes", _locked(kubernetes)]
    return shlex.join(
        [*command, *(word for option in OPTIONS if option.is_repeated for word in option.arguments(config))]
    )


def _locked(kubernetes: str) -> str:
    """The version if muster can build it, else its minor, which may be that of an image."""
    from harness.box.artifacts import load

    return kubernetes if kubernetes in load().locks("kubernetes") else ".".join(kubernetes.split(".")[:2])


# -- pytest -----------------------------------------------------------------------------------------------------------


def add(parser: pytest.Parser) -> None:
    """Offer every option as a flag and an ini key."""
    group = parser.getgroup("muster", "gang scheduling conformance")
    texts = {option.name: ("", _plugin_help(option)) for option in PLUGIN_OPTIONS}
    for name, (default, help_) in {**texts, **FURTHER}.items():
        group.addoption(
            f"--muster-{name}", dest=f"muster_{_key(name)}", metavar="VALUE", action="append", default=None, help=help_
        )
        parser.addini(f"muster_{_key(name)}", help_, default=default)


def is_asked_for(config: pytest.Config) -> bool:
    """Whether an option of muster is given; most projects of an environment have nothing to do with muster."""
    defaults = {option.name: "" for option in PLUGIN_OPTIONS} | {
        name: default for name, (default, _) in FURTHER.items()
    }
    return any(_texts(config, name) not in ([], [default]) for name, default in defaults.items())


def is_of_run(config: pytest.Config) -> bool:
    """Whether `muster run` has started this session; then cases will surely be run."""
    return bool(_last_text(config, CONFIG))


def read(config: pytest.Config) -> RunConfig:
    """The configuration in force; pytest.UsageError in one sentence if something is wrong."""
    import pytest

    try:
        if path := _last_text(config, CONFIG):
            stored = read_config(Path(path))
            return stored.only((config.getoption("muster_integration") or stored.integrations)[-1])
        asked = parse({option.name: _texts(config, option.name) for option in PLUGIN_OPTIONS}, "--muster-")
        if len(asked.integrations) > 1:
            raise UsageError(
                f"--muster-integration: one at a time, given {', '.join(asked.integrations)}",
                hint="Run pytest once for each, or `muster run` with all of them.",
            )
        output = _last_text(config, "output")
        return replace(asked.only(asked.integrations[0]), folder=Path(output).absolute() if output else None)
    except MusterError as error:
        raise pytest.UsageError(str(error)) from error


def read_pools(config: pytest.Config) -> tuple[Pool, ...]:
    """The nodes of the `box` fixture."""
    import pytest

    from harness.box.nodes import parse_pools

    try:
        return tuple(parse_pools(_last_text(config, NODES)))
    except MusterError as error:
        raise pytest.UsageError(str(error)) from error


def _plugin_help(option: Option) -> str:
    return f"{option.metavar}{',...' if option.is_many else ''}: {option.help}"


def _last_text(config: pytest.Config, name: str) -> str:
    texts = _texts(config, name)
    return texts[-1] if texts else ""


def _texts(config: pytest.Config, name: str) -> list[str]:
    """What was given for an option: all flags, else the variable, else the ini key."""
    flags = config.getoption(f"muster_{_key(name)}")
    if flags:
        return [str(flag) for flag in flags]
    variable = os.environ.get(f"MUSTER_{_key(name).upper()}")
    text = variable if variable is not None else str(config.getini(f"muster_{_key(name)}"))
    return [text] if text else []


def _key(name: str) -> str:
    return name.replace("-", "_")
