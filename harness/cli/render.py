"""`muster render`: what a gang looks like for a scheduler."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import click

from harness.box.spec import BoxSpec
from harness.core.errors import UsageError

LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
LABEL_RULE = "A name has up to 63 small letters, digits and hyphens, and begins and ends with a letter or digit."
LARGEST = 100_000  # of anything a gang is made of; more members take minutes to print


@click.command(epilog="\b\nExample:\n  muster render --integration workload --gang size=4,gpus=2 | kubectl apply -f -")
@click.option("--integration", default="workload", show_default=True, metavar="NAME[@VERSION]")
@click.option("--kubernetes", metavar="X.Y[.Z]", help="For which Kubernetes.")
@click.option(
    "--gang", "text", default="size=2", metavar="KEY=VALUE,...", help="size, quorum, gpus, total_gpus, name, ..."
)
@click.option("--namespace", default="default", show_default=True)
def render(integration: str, kubernetes: str | None, text: str, namespace: str) -> None:
    """Print a gang as the YAML that this integration understands."""
    from harness.adapters import adapter
    from harness.adapters.common.render import gang_yaml
    from harness.box.artifacts import load
    from harness.runner.config import RunConfig

    if not LABEL.fullmatch(namespace):
        raise UsageError(f"--namespace: {namespace!r} is no name of a namespace", hint=LABEL_RULE)
    config = RunConfig((integration,), BoxSpec(kubernetes=kubernetes)).check().only(integration)
    version = load().lock("kubernetes", config.box.kubernetes).version
    name = integration.partition("@")[0]
    click.echo(gang_yaml(adapter(name), parse_gang(text), namespace, version), nl=False)


def parse_gang(text: str) -> Any:
    """`size=4,gpus=2` as a Gang."""
    from dataclasses import fields

    from harness.core.gang import Gang
    from harness.runner.option_values import pairs

    kinds: Mapping[str, type] = {
        "size": int,
        "quorum": int,
        "gpus": int,
        "stated_size": int,
        "total_gpus": int,
        "timeout": int,
        "gated": int,
        "lifetime": float,
    }
    plain = {field.name for field in fields(Gang)} - {"roles", "group", "selector", "missing"}
    values: dict[str, Any] = {}
    for key, value in pairs("--gang", [text]).items():
        if key not in plain:
            raise UsageError(f"a gang has no {key!r}", hint=f"Allowed: {', '.join(sorted(plain))}.")
        try:
            values[key] = kinds.get(key, str)(value)
        except ValueError:
            raise UsageError(f"--gang {key}: expected a number, given {value!r}") from None
        if key in kinds and not 0 <= values[key] <= LARGEST:
            raise UsageError(f"--gang {key}: expected a number from 0 to {LARGEST}, given {value}")
    if not LABEL.fullmatch(values.get("name", "a")):
        raise UsageError(f"--gang name: {values['name']!r} is no name of a gang", hint=LABEL_RULE)
    return Gang(**values)
