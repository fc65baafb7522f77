"""The command-line options that every reference controller has, and its mutants too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from harness.controllers.runtime.service import ControllerOptions
from harness.core.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., Any])


def run_options(command: Command) -> Command:
    """The flags with which every controller is run, also the mutants of one."""
    file = click.Path(path_type=Path, exists=True, dir_okay=False)
    port = click.IntRange(1, 65535)
    for option in reversed(
        (
            click.option("--kubeconfig", type=file, help="Default: $KUBECONFIG, then the pod's service account."),
            click.option("--address", default="127.0.0.1", show_default=True, help="Where to listen."),
            click.option("--health-port", type=port, help="Serve /healthz, /readyz and /metrics here."),
            click.option(
                "--webhook-port",
                type=port,
                help="Serve the admission webhooks here, over TLS; without it nothing is refused or filled in.",
            ),
            click.option("--tls-cert", type=file, help="Certificate of the webhooks, PEM."),
            click.option("--tls-key", type=file, help="Its key, PEM."),
            click.option(
                "--workers", type=click.IntRange(1, 64), default=4, show_default=True, help="Threads that work."
            ),
        )
    ):
        command = option(command)
    return command


def service_options(**values: Any) -> ControllerOptions:
    """The values of `run_options`, checked."""
    if values["webhook_port"] and not (values["tls_cert"] and values["tls_key"]):
        raise UsageError("webhooks are served over TLS only", hint="Give --tls-cert and --tls-key with --webhook-port.")
    if not values["webhook_port"] and (values["tls_cert"] or values["tls_key"]):
        raise UsageError("--tls-cert and --tls-key are for webhooks", hint="Give --webhook-port too.")
    return ControllerOptions(**{key: value for key, value in values.items() if value is not None})
