"""`muster controller`: run one of the reference controllers, in a box, in a cluster or from a desk."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click
import yaml

from harness.box.artifacts.register import nearest
from harness.core.errors import UsageError

CONTROLLERS = {  # name -> module that has `make(client, cache)`, folder in manifests/, what it does
    "jobset-gang": ("jobset_gang", "jobset-gang", "Workloads and PodGroups for JobSets with a gangConfig"),
    "jobset-barrier": ("jobset_barrier", "jobset-barrier", "holds the pods of a JobSet until all have started"),
    "lws-provider": ("lws_provider", "lws", "PodGroups for the replicas of LeaderWorkerSets"),
}  # fmt: skip
OWN_OPTIONS = {"gangs": "jobset-gang", "init_image": "jobset-barrier", "provider": "lws-provider"}
PROVIDERS = ("coscheduling", "yunikorn")
EPILOG = """\b
Examples:
  muster controller jobset-gang --health-port 8081 --webhook-port 9443 --tls-cert tls.crt --tls-key tls.key
  muster controller lws-provider --provider coscheduling --webhook-port 9443 --tls-cert tls.crt --tls-key tls.key
  muster controller jobset-gang --manifests | kubectl apply -f -

\b
Controllers:
""" + "".join(f"  {name:15} {about}\n" for name, (_, _, about) in CONTROLLERS.items())

Command = TypeVar("Command", bound=Callable[..., Any])


def run_options(command: Command) -> Command:
    """The flags with which every controller is run, also those that stand in for one."""
    file = click.Path(path_type=Path, exists=True, dir_okay=False)
    port = click.IntRange(1, 65535)
    for option in reversed((
        click.option("--kubeconfig", type=file, help="Default: $KUBECONFIG, then the pod's service account."),
        click.option("--address", default="127.0.0.1", show_default=True, help="Where to listen."),
        click.option("--health-port", type=port, help="Serve /healthz, /readyz and /metrics here."),
        click.option("--webhook-port", type=port, help="Serve the admission webhooks here, over TLS; without it "
                     "nothing is refused or filled in."),
        click.option("--tls-cert", type=file, help="Certificate of the webhooks, PEM."),
        click.option("--tls-key", type=file, help="Its key, PEM."),
        click.option("--workers", type=click.IntRange(1, 64), default=4, show_default=True, help="Threads that work."),
    )):  # fmt: skip
        command = option(command)
    return command


@click.command(epilog=EPILOG)
@click.argument("name", metavar="NAME")
@run_options
@click.option("--provider", help=f"For lws-provider: {' or '.join(PROVIDERS)}.")
@click.option("--init-image", help="For jobset-barrier: what the waiting containers run, with a POSIX shell.")
@click.option("--gangs", type=click.Choice(["on", "off"]), help="For jobset-gang: off makes gangConfig without effect.")
@click.option("--manifests", is_flag=True, help="Print what runs it in a cluster, with a new certificate, and end.")
@click.option("--namespace", default="muster-system", show_default=True, help="With --manifests: where it is to run.")
@click.option("--image", default="muster:latest", show_default=True, help="With --manifests: an image with muster.")
def controller(name: str, manifests: bool, namespace: str, image: str, **given: Any) -> None:
    """Run the reference controller NAME until SIGTERM.

    One instance at a time: there is no leader election, and two would only repeat each other's requests. It keeps
    nothing but what is in the API server, so it may be killed at any moment and started again.
    """
    if name not in CONTROLLERS:
        raise UsageError(
            f"there is no controller {name!r}",
            hint=f"{nearest(name, CONTROLLERS)}Controllers: {', '.join(CONTROLLERS)}.",
        )
    module, folder, _ = CONTROLLERS[name]
    chosen = _own_options(name, {option: given.pop(option) for option in OWN_OPTIONS})
    options = service_options(**given)
    if manifests:
        from harness.adapters.reference import in_cluster

        click.echo(yaml.safe_dump_all(in_cluster(name, folder, namespace, image, chosen), sort_keys=False), nl=False)
        return
    from harness.controllers.service import serve

    make = partial(import_module(f"harness.controllers.{module}").make, **chosen)
    serve(make, options)


def service_options(**given: Any) -> Any:
    """What `run_options` were given, checked."""
    from harness.controllers.service import Options

    if given["webhook_port"] and not (given["tls_cert"] and given["tls_key"]):
        raise UsageError("webhooks are served over TLS only", hint="Give --tls-cert and --tls-key with --webhook-port.")
    if not given["webhook_port"] and (given["tls_cert"] or given["tls_key"]):
        raise UsageError("--tls-cert and --tls-key are for webhooks", hint="Give --webhook-port too.")
    return Options(**{key: value for key, value in given.items() if value is not None})


def _own_options(name: str, given: dict[str, str | None]) -> dict[str, str]:
    """What only one of the controllers understands."""
    chosen = {option: value for option, value in given.items() if value is not None}
    for option in chosen:
        if OWN_OPTIONS[option] != name:
            flag = f"--{option.replace('_', '-')}"
            raise UsageError(f"{name} has no {flag}", hint=f"{flag} is for {OWN_OPTIONS[option]}.")
    if name == "lws-provider" and chosen.get("provider") not in PROVIDERS:
        wrong = f"unknown provider {given['provider']!r}" if chosen else f"{name} needs to know for which scheduler"
        raise UsageError(wrong, hint=f"Give --provider {' or '.join(PROVIDERS)}.")
    if "init_image" in chosen:
        from harness.controllers.jobset_barrier_injection import check_image

        check_image(chosen["init_image"])
    return chosen
