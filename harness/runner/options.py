"""The options of a run: one table, for `muster run` and for the pytest plugin.

`muster run --kubernetes 1.36` is `pytest --muster-kubernetes 1.36`; what pytest adds is in
`harness.runner.plugin_options`. Each option is parsed here and nowhere else, and all of them together become one
`RunConfig`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from harness.box.spec import EXISTING, BoxSpec
from harness.core.catalogue.selection import ALL
from harness.core.errors import UsageError
from harness.runner.config import DEFAULT, MOST_SEED, ORDERS, RunConfig, kubernetes_of
from harness.runner.option_values import (
    Texts,
    binaries,
    flag,
    gates,
    joined,
    keep_failed,
    last_text,
    names,
    optional_text,
    pairs,
    positive,
    shard,
    version,
    whole,
)


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
        last_text,
        lambda config: optional_text(config.box.kubernetes),
        "X.Y[.Z]",
        is_repeated=False,
    ),
    Option(
        "profile",
        "core, extended, all, or a profile such as GANG-CORE; several add up.",
        joined,
        lambda config: config.profile.split(","),
        "LEVEL|NAME",
        ALL,
        is_many=True,
        run_default="core",
        is_repeated=False,
    ),
    Option(
        "box",
        "embedded, kind or existing; --kubeconfig means existing.",
        last_text,
        lambda config: optional_text(config.box.kind) if config.box.kind not in (BoxSpec().kind, EXISTING) else (),
        "KIND",
    ),
    Option(
        "kubeconfig",
        "Judge what is installed in a cluster that is already there.",
        last_text,
        lambda config: optional_text(config.box.kubeconfig),
        "FILE",
    ),
    Option(
        "context",
        "Context of the kubeconfig; there is no default.",
        last_text,
        lambda config: optional_text(config.box.context),
        "NAME",
    ),
    Option(
        "audit-log",
        "Audit log of an existing cluster's API server, if it is a local file.",
        last_text,
        lambda config: optional_text(config.box.audit_log),
        "FILE",
    ),
    Option(
        "nodes-selector",
        "Real nodes of an existing cluster that cases may use, by label; fake ones if not given.",
        last_text,
        lambda config: optional_text(config.box.nodes_selector),
        "LABELS",
    ),
    Option(
        "pause-image",
        "Image of pods on real nodes; registry.k8s.io/pause if not given.",
        last_text,
        lambda config: optional_text(config.box.pause_image),
        "IMAGE",
    ),
    Option(
        "disrupt",
        "What cases may disturb in an existing cluster: scheduler, queues.",
        joined,
        lambda config: optional_text(config.box.disrupt),
        "WHAT",
        is_many=True,
    ),
    Option(
        "kind-workers",
        "Real workers of a kind box; 2 if not given.",
        partial(whole, 1, 20),
        lambda config: optional_text(config.box.workers),
        "COUNT",
    ),
    Option(
        "image",
        "Node image of a kind box: auto, official, own, or the name of one.",
        last_text,
        lambda config: optional_text(config.box.image),
        "IMAGE",
    ),
    Option(
        "sync",
        "How often kubelets of a kind box sync their pods, such as 2s.",
        last_text,
        lambda config: optional_text(config.box.sync),
        "TIME",
    ),
    Option(
        "keep",
        "`failed` keeps the box of the first violation, or a kind cluster that could not be set up.",
        keep_failed,
        lambda config: ["failed"] if config.box.keep_failed else (),
        "failed",
        is_repeated=False,
    ),
    Option(
        "spare",
        "Leave a box ready for the next run, which takes it if it has --spare too; it ends after five minutes.",
        flag,
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
        lambda config: optional_text(config.workers) if config.workers != 1 else (),
        "COUNT",
        "1",
        short="-n",
        is_repeated=False,
    ),
    Option(
        "shard",
        "Only this part of the work, such as 2/8; `muster report merge` puts the parts together.",
        shard,
        lambda config: optional_text(config.shard),
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
        "Version of a --binary program in the report; `given` if not stated.",
        version,
        lambda config: optional_text(config.implementation_version),
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
        lambda config: optional_text(config.repeat) if config.repeat != 1 else (),
        "COUNT",
        "1",
        is_repeated=False,
    ),
    Option(
        "order",
        "suite, or random: shuffled by the seed.",
        last_text,
        lambda config: optional_text(config.order) if config.order != ORDERS[0] else (),
        "|".join(ORDERS),
        ORDERS[0],
        is_repeated=False,
    ),
    Option(
        "seed",
        "Seed of the random order; a new one if not given.",
        partial(whole, 0, MOST_SEED),
        lambda config: optional_text(config.seed),
        "NUMBER",
        is_repeated=False,
    ),
    Option(
        "probe",
        "Also run cases whose features are not claimed.",
        flag,
        lambda config: ["true"] if config.probe else (),
        "true",
        is_flag=True,
    ),
)


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
    if kubernetes_of(integration, None) is None and config.box.installs:
        command += ["--kubernetes", _locked(kubernetes)]
    return shlex.join(
        [*command, *(word for option in OPTIONS if option.is_repeated for word in option.arguments(config))]
    )


def _locked(kubernetes: str) -> str:
    """The version if muster can build it, else its minor, which may be that of an image."""
    from harness.box.artifacts import load

    return kubernetes if kubernetes in load().locks("kubernetes") else ".".join(kubernetes.split(".")[:2])
