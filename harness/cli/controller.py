"""`muster controller`: run one of the reference controllers, in a box, in a cluster or from a desk."""

from __future__ import annotations

from functools import partial
from typing import Any

import click
import yaml

from harness.controllers.registry import CONTROLLERS, LWS_PROVIDERS
from harness.controllers.runtime.command import run_options, service_options
from harness.core.errors import UsageError
from harness.core.text import nearest

OWN_OPTIONS = {option: name for name, reference in CONTROLLERS.items() for option in reference.options}
EPILOG = """\b
Examples:
  muster controller jobset-gang --health-port 8081 --webhook-port 9443 --tls-cert tls.crt --tls-key tls.key
  muster controller lws-provider --provider coscheduling --webhook-port 9443 --tls-cert tls.crt --tls-key tls.key
  muster controller jobset-gang --manifests | kubectl apply -f -

\b
Controllers:
""" + "".join(f"  {name:15} {reference.about}\n" for name, reference in CONTROLLERS.items())


@click.command(epilog=EPILOG)
@click.argument("name", metavar="NAME")
@run_options
@click.option("--provider", help=f"For lws-provider: {' or '.join(LWS_PROVIDERS)}.")
@click.option("--init-image", help="For jobset-barrier: image of the waiting containers, with a POSIX shell.")
@click.option("--gangs", type=click.Choice(["on", "off"]), help="For jobset-gang: off ignores gangConfig.")
@click.option("--manifests", is_flag=True, help="Print its manifests for a cluster, with a new certificate, and exit.")
@click.option("--namespace", default="muster-system", show_default=True, help="With --manifests: its namespace.")
@click.option("--image", default="muster:latest", show_default=True, help="With --manifests: an image with muster.")
def controller(name: str, manifests: bool, namespace: str, image: str, **options: Any) -> None:
    """Run the reference controller NAME until SIGTERM.

    One instance at a time: there is no leader election, and two would only repeat each other's requests. All its state
    is in the API server, so it may be killed at any moment and started again.
    """
    if name not in CONTROLLERS:
        raise UsageError(
            f"there is no controller {name!r}",
            hint=f"{nearest(name, CONTROLLERS)}Controllers: {', '.join(CONTROLLERS)}.",
        )
    reference = CONTROLLERS[name]
    settings = _own_options(name, {option: options.pop(option) for option in OWN_OPTIONS})
    service = service_options(**options)
    if manifests:
        from harness.adapters.common.reference_controller import in_cluster

        click.echo(
            yaml.safe_dump_all(in_cluster(name, reference.folder, namespace, image, settings), sort_keys=False),
            nl=False,
        )
        return
    from harness.controllers.runtime.service import serve

    serve(partial(reference.load(), **settings), service)


def _own_options(name: str, options: dict[str, str | None]) -> dict[str, str]:
    """What only one of the controllers understands."""
    settings = {option: value for option, value in options.items() if value is not None}
    for option in settings:
        if OWN_OPTIONS[option] != name:
            flag = f"--{option.replace('_', '-')}"
            raise UsageError(f"{name} has no {flag}", hint=f"{flag} is for {OWN_OPTIONS[option]}.")
    if name == "lws-provider" and settings.get("provider") not in LWS_PROVIDERS:
        wrong = f"unknown provider {options['provider']!r}" if settings else f"{name} needs to know for which scheduler"
        raise UsageError(wrong, hint=f"Give --provider {' or '.join(LWS_PROVIDERS)}.")
    if "init_image" in settings:
        from harness.controllers.jobset_barrier.injection import check_image

        check_image(settings["init_image"])
    return settings
