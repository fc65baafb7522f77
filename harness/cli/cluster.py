"""`muster cluster` and `muster clean`: somebody's cluster, before and after a run in it.

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

from harness.adapters import adapter
from harness.adapters.common.render import gang_objects, single_pod
from harness.box.api import Api, Object
from harness.box.existing import removal, survey
from harness.box.existing.access import check_reachable, read_access
from harness.box.existing.ownership import RUN_LABEL, Ownership
from harness.box.existing.rights import missing, needed, role
from harness.box.minor import default_minor, minors
from harness.box.nodes import Pool, render_node
from harness.cli.terminal import console
from harness.core.errors import ExitCode, UsageError
from harness.core.gang import Gang
from harness.core.kinds import Kind
from harness.core.text import counted
from harness.runner.config import RunConfig
from harness.testbed.discover import check_served

EXAMPLE = Ownership("0a1b2c3d")  # the label of a run is made when it starts
HEAD = """# What a run creates in the cluster looks like this. The value of the label is new in every run. Gangs differ
# in size, names and requests from case to case, and carry the same label, selector and toleration.
"""


def access_options(command: Any) -> Any:
    """The options that name a cluster."""
    for option in (
        click.option("--context", metavar="NAME", default="", help="The context that is meant; it is never guessed."),
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
@click.option("--integration", metavar="NAME", default="workload", show_default=True, help="Whose gangs are made.")
@click.option("--kubernetes", metavar="X.Y", help="The minor of the cluster, for the native API.")
def role_(integration: str, kubernetes: str | None) -> int:
    """Print the ClusterRole that a run needs; nothing more than that."""
    if kubernetes is not None and kubernetes not in minors():
        raise UsageError(f"there is no minor {kubernetes!r}", hint=f"Known: {', '.join(minors())}.")
    kinds = adapter(integration).groups(kubernetes or default_minor())
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

    removal.remove(api, tell=tell)
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
    out.print(f"nodes       {survey.node_count(api)} of the cluster's own, which are left alone", highlight=False)
    out.print(
        f"creates     fake nodes, namespaces, pods, gang objects, priority classes, all with the label {RUN_LABEL};\n"
        "            the nodes are tainted, and pods select them: nothing of others lands there, nothing of ours "
        "elsewhere",
        highlight=False,
        markup=False,
    )
    check_rights(api, config.integrations, kubernetes)
    for remark in survey.remarks(api, survey.programs(api), EXAMPLE.taint):
        out.print(f"note        {remark}", style="yellow", highlight=False, markup=False)
    if leftovers := removal.leftovers(api):
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
        raise UsageError("nobody can be asked whether to go on: there is no terminal", hint="Agree with --yes.")
    if not click.confirm("Create these objects?"):
        raise UsageError("nothing was created: the answer was no")


def check_rights(api: Api, integrations: Sequence[str], kubernetes: str) -> None:
    """UsageError that names every right that is missing for these integrations."""
    kinds: list[Kind] = []
    for name in integrations:
        integration = adapter(name.partition("@")[0])
        check_served(integration, api, kubernetes)
        kinds += integration.groups(kubernetes)
    if lacking := missing(api, needed(kinds)):
        shown = "\n".join(f"  {text}" for text in lacking)
        raise UsageError(
            f"{counted(len(lacking), 'right')} missing in this cluster; nothing was created:\n{shown}",
            hint="Have them granted: muster cluster role --integration NAME prints the ClusterRole.",
        )


def print_objects(config: RunConfig) -> int:
    """An example of every kind of object that the run would create."""
    access = config.box.access()
    kubernetes = check_reachable(access.connect(), access)
    objects: list[Object] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "case-00000000"}},
        render_node(Pool(1, gpus=8), f"muster-{EXAMPLE.run}-node-0", 0, f"v{kubernetes}", EXAMPLE.run),
    ]
    for name in config.integrations:
        integration = adapter(name.partition("@")[0])
        objects += gang_objects(integration, Gang("example", size=2, gpus=1), "case-00000000", kubernetes)
        objects.append(single_pod(integration, "case-00000000", "fence-1", part="fence", request={"cpu": "1m"}))
    marked = [EXAMPLE.mark(obj) for obj in objects]
    click.echo(HEAD + yaml.safe_dump_all(marked, sort_keys=False), nl=False)
    return ExitCode.CONFORMANT
