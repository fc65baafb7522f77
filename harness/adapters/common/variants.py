"""Integrations with settings of their own: `volcano+preempt` is Volcano with its preempt action, under a name.

Who is judged is an integration as it is installed, so settings that change what it does make another one, with its own
features, expected verdicts, row of the workflow and column of a comparison. An adapter names such settings as its
variants, gates of Kubernetes among them; every scheduler and controller also has one for each Kubernetes that muster
can run, `NAME+kubernetes-1.36`.
"""

from __future__ import annotations

from dataclasses import replace

from harness.adapters.common.base import Adapter, Claim, Variant
from harness.box.minor import minors
from harness.core.errors import UsageError
from harness.core.text import nearest

MARK = "+"  # between the name of an integration and that of its variant


def variants_of(adapter: Adapter) -> dict[str, Variant]:
    """Every variant of an integration, by name; the native one is another integration on each Kubernetes anyway."""
    versions = {} if adapter.component == "kubernetes" else {f"kubernetes-{minor}": minor for minor in minors()}
    by_minor = {name: Variant(f"on Kubernetes {minor}", kubernetes=minor) for name, minor in versions.items()}
    return {**adapter.variants, **by_minor}


def varied(adapter: Adapter, name: str) -> Adapter:
    """The integration with the settings of its variant; UsageError that offers the nearest one."""
    variants = variants_of(adapter)
    if name not in variants:
        raise UsageError(
            f"{adapter.title} has no variant {name!r}",
            hint=f"{nearest(name, variants)}Variants: {', '.join(f'{adapter.name}{MARK}{key}' for key in variants)}.",
        )
    variant = variants[name]
    features = [claim for claim in adapter.features if _feature(claim) not in variant.without]
    return replace(
        adapter,
        name=f"{adapter.name}{MARK}{name}",
        title=f"{adapter.title} {variant.about}",
        features=(*features, *variant.features),
        preset=variant.settings,
        kubernetes=variant.kubernetes,
        gates=variant.gates,
    )


def _feature(claim: str | Claim) -> str:
    return claim.feature if isinstance(claim, Claim) else claim
