"""Which programs `make test` may use: those that it builds first, as its Makefile names them.

A test that needs more than these is marked `conformance`, so that the gate of every change never starts a build of
minutes in the middle of the tests.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.box.artifacts import load
from harness.cli.get import components_of

MAKEFILE = Path(__file__).parents[1] / "Makefile"
INTEGRATIONS = re.findall(r"^GATE := (.*)$", MAKEFILE.read_text(), re.MULTILINE)[0].split()


def artifacts(integration: str, kubernetes: str | None = None) -> set[tuple[str, str]]:
    """Components with their versions that a run of an integration needs, perhaps on another Kubernetes."""
    register, pairs = load(), set()
    for spec in components_of(register, integration):
        component, _, version = spec.partition("@")
        if component == "kubernetes" and kubernetes:
            version = kubernetes
        pairs.add((component, register.lock(component, version or None).version))
    return pairs


BUILT = {pair for integration in INTEGRATIONS for pair in artifacts(integration)}


def in_gate(integration: str, kubernetes: str | None = None) -> bool:
    """Whether `make test` has built everything that a run of the integration needs."""
    return artifacts(integration, kubernetes) <= BUILT


def marks(integration: str, kubernetes: str | None = None) -> tuple[pytest.MarkDecorator, ...]:
    """The marks of a test that runs an integration."""
    return () if in_gate(integration, kubernetes) else (pytest.mark.conformance,)
