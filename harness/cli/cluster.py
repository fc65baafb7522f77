"""`muster cluster` and `muster clean`: a user's cluster, before and after a run in it.

A run creates objects in a cluster that others use, so it says first which ones, asks for a yes, and stops before the
first object if a right is missing. `muster clean` removes what any run has left, by its label.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import yaml

from harness.adapters import adapter, names
from harness.adapters.common.base import Settings
from harness.box.api import Api
from harness.box.existing import removal, survey
from harness.box.existing.access import check_reachable, read_access
from harness.box.existing.ownership import RUN_LABEL, Ownership
from harness.box.existing.real_nodes import usable_nodes
from harness.box.existing.rights import missing, needed, role
from harness.box.minor import default_minor, minors
from harness.box.spec import DISRUPTIONS
from harness.cli.terminal import console
from harness.core.errors import ExitCode, UsageError
from harness.core.gang import OWN_GPU
from harness.core.kinds import Kind
from harness.core.text import counted
from harness.runner.config import RunConfig
from harness.testbed.discover import check_installed

TAINT = Ownership("run").taint  # of a run's nodes; its value is new in every run


def access_options(command: Any) -> Any:
    """The options that name a cluster."""
    for option in (
        click.option("--context", metavar="NAME", default="", help="Context of the kubeconfig; there is no default."),
        click.option(
            "--kubeconfig",
            type=click.Path(path_type=Path, dir_okay=False),
            required=True,
            help="The kubeconfig of the cluster.",
        ),
    ):
        command = option(command)
    return command


@click.group()
def cluster() -> None:
    """Prepare a cluster that is already there for a run."""


@cluster.command("role", epilog="\b\nExample:\n  muster cluster role --integration volcano | kubectl apply -f -")
@click.option("--integration", metavar="NAME", default="workload", show_default=True, help="Integration to judge.")
@click.option("--kubernetes", metavar="X.Y", help="Kubernetes minor of the cluster, for the native API.")
@click.option("--disrupt", metavar="WHAT", default="", help="The --disrupt of the run: scheduler, queues.")
def role_(integration: str, kubernetes: str | None, disrupt: str) -> int:
    """Print the ClusterRole with exactly the rights that a run needs."""
    if kubernetes is not None and kubernetes not in minors():
        raise UsageError(f"there is no minor {kubernetes!r}", hint=f"Known: {', '.join(minors())}.")
    disruptions = frozenset(filter(None, disrupt.split(",")))
    check_disruptions(disruptions)
    kinds = _kinds_of(integration, kubernetes or default_minor(), disruptions)
    click.echo(yaml.safe_dump(role(needed(kinds)), sort_keys=False), nl=False)
    return ExitCode.CONFORMANT


@click.command(epilog="\b\nExample:\n  muster clean --kubeconfig ~/.kube/config --context staging")
@access_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of lines.")
def clean(kubeconfig: Path, context: str, as_json: bool) -> int:
    """Remove everything that runs have left in an existing cluster, and nothing else."""
    access = read_access(kubeconfig, context)
    api = access.connect()
    check_reachable(api, access)
    removed: list[str] = []
    out = console(stderr=as_json)

    def tell(text: str) -> None:
        removed.append(text)
        out.print(f" removing {text}", markup=False, highlight=False)

    removal.remove(api, kinds=queue_kinds(), tell=tell)
    if as_json:
        click.echo(json.dumps({"removed": removed}, indent=1))
    else:
        out.print(f"removed {counted(len(removed), 'object')}" if removed else "nothing of muster is in this cluster")
    return ExitCode.CONFORMANT


# -- before a run -----------------------------------------------------------------------------------------------------


def agree(config: RunConfig, *, yes: bool) -> None:
    """Say what the run will create, see that it may, and have a yes; UsageError without one, and nothing is created."""
    access = config.box.access()
    api = access.connect()
    kubernetes = check_reachable(api, access)
    out = console()
    out.print(f"cluster     {access.context} ({access.server}), Kubernetes {kubernetes}", highlight=False)
    plan, notes = _plan(api, config.box.nodes_selector)
    for line in plan:
        out.print(line, highlight=False, markup=False)
    for name in sorted(config.box.disruptions):
        out.print(f"disrupts    cases may {DISRUPTIONS[name]}", highlight=False, markup=False)
    for integration in config.integrations:
        name, _, version = integration.partition("@")
        settings = Settings(version or None, config.binaries, config.settings)
        check_installed(adapter(name), api, kubernetes, settings)
    check_rights(api, config.integrations, kubernetes, config.box.disruptions)
    for remark in (*notes, *survey.remarks(api, survey.programs(api), TAINT)):
        out.print(f"note        {remark}", style="yellow", highlight=False, markup=False)
    if leftovers := removal.leftovers(api, kinds=queue_kinds()):
        runs = sorted({obj["metadata"]["labels"][RUN_LABEL] for _, obj in leftovers})
        out.print(
            f"note        {counted(len(leftovers), 'object')} of other runs ({', '.join(runs)}); if none is on, "
            f"remove them: muster clean --kubeconfig {access.path} --context {access.context}",
            style="yellow",
            highlight=False,
            markup=False,
        )
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask for confirmation", hint="Confirm with --yes.")
    if not click.confirm("Create these objects?"):
        raise UsageError("nothing was created: the answer was no")


def _plan(api: Api, selector: str | None) -> tuple[list[str], list[str]]:
    """What the run will do with nodes and create, in lines, and what to know about it."""
    count = survey.node_count(api)
    notes: list[str] = []
    if selector is None:
        nodes = [f"nodes       {count} of the cluster's own, which are left alone"]
        what = "fake nodes, namespaces"
    else:
        borrowed, notes = usable_nodes(api, selector)
        nodes = [
            f"nodes       {len(borrowed)} of {count} are borrowed: {', '.join(borrowed)}",
            f"            they get a label, a taint and {OWN_GPU}, which are taken off again; what runs there stays",
        ]
        what = "namespaces"
    creates = [
        f"creates     {what}, pods, gang objects, priority classes, volumes, devices, all with the label",
        f"            {RUN_LABEL} (--dry-run shows an example of each kind);",
        "            the nodes are tainted, and pods select them: nothing of others lands there, nothing of ours "
        "elsewhere",
    ]
    return [*nodes, *creates], notes


def queue_kinds() -> list[Kind]:
    """Of objects that some integrations have and others do not, in no namespace."""
    return list(dict.fromkeys(kind for name in names() for kind in adapter(name).queue_kinds))


def check_disruptions(disruptions: frozenset[str]) -> None:
    if unknown := sorted(disruptions - set(DISRUPTIONS)):
        raise UsageError(f"--disrupt: there is no {unknown[0]!r}", hint=f"Allowed: {', '.join(DISRUPTIONS)}.")


def _kinds_of(integration: str, kubernetes: str, disruptions: frozenset[str]) -> list[Kind]:
    """The kinds of objects that cases make of this integration alone."""
    implementation = adapter(integration)
    queues = implementation.queue_kinds if "queues" in disruptions else ()
    return [*implementation.groups(kubernetes), *queues]


def check_rights(
    api: Api, integrations: Sequence[str], kubernetes: str, disruptions: frozenset[str] = frozenset()
) -> None:
    """UsageError that names every right that is missing for these integrations."""
    kinds: list[Kind] = []
    for name in (integration.partition("@")[0] for integration in integrations):
        kinds += _kinds_of(name, kubernetes, disruptions)
    if lacking := missing(api, needed(kinds)):
        shown = "\n".join(f"  {text}" for text in lacking)
        raise UsageError(
            f"{counted(len(lacking), 'right')} missing in this cluster; nothing was created:\n{shown}",
            hint="Have them granted: muster cluster role --integration NAME prints the ClusterRole.",
        )
