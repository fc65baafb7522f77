"""The options of a run as pytest has them: `--muster-NAME`, the variable MUSTER_NAME, the ini key muster_NAME.

`muster run --kubernetes 1.36` is `pytest --muster-kubernetes 1.36`, `MUSTER_KUBERNETES=1.36` in the environment and
`muster_kubernetes = 1.36` in an ini file. The flag wins over the variable, the variable over the ini file. The table of
options is in `harness.runner.options`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.core.errors import MusterError, UsageError
from harness.runner.config import RunConfig, read_config
from harness.runner.options import OPTIONS, Option, parse

if TYPE_CHECKING:
    from harness.box.nodes import Pool

OFFERED = tuple(option for option in OPTIONS if option.name != "workers")  # pytest-xdist has its own -n
CONFIG = "config"
NODES = "nodes"
FURTHER = {  # of the plugin alone
    CONFIG: ("", "run.json of a run to do; every other option but the integration is taken from it"),
    NODES: ("8x8", "nodes of the `box` fixture, COUNTxGPUS"),
    "output": ("", "folder for histories, logs and results"),
}


def add(parser: pytest.Parser) -> None:
    """Offer every option as a flag and an ini key."""
    group = parser.getgroup("muster", "gang scheduling conformance")
    texts = {option.name: ("", _plugin_help(option)) for option in OFFERED}
    for name, (default, help_) in {**texts, **FURTHER}.items():
        group.addoption(
            f"--muster-{name}", dest=f"muster_{_key(name)}", metavar="VALUE", action="append", default=None, help=help_
        )
        parser.addini(f"muster_{_key(name)}", help_, default=default)


def is_asked_for(config: pytest.Config) -> bool:
    """Whether an option of muster is given; most projects of an environment have nothing to do with muster."""
    defaults = {option.name: "" for option in OFFERED} | {name: default for name, (default, _) in FURTHER.items()}
    return any(_texts(config, name) not in ([], [default]) for name, default in defaults.items())


def is_of_run(config: pytest.Config) -> bool:
    """Whether `muster run` has started this session; then cases will surely be run."""
    return bool(_last_text(config, CONFIG))


def read(config: pytest.Config) -> RunConfig:
    """The configuration in force; pytest.UsageError in one sentence if something is wrong."""
    try:
        if path := _last_text(config, CONFIG):
            stored = read_config(Path(path))
            return stored.only((config.getoption("muster_integration") or stored.integrations)[-1])
        asked = parse({option.name: _texts(config, option.name) for option in OFFERED}, "--muster-")
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
