"""muster: Kubernetes in a box, and the conformance suite for gang scheduling.

    from harness import EmbeddedBox, Pool

    with EmbeddedBox(kubernetes="1.37", nodes=[Pool(8, gpus=8)]) as box:
        box.api.list(...)

What is exported here is the public surface; everything else may change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.box.embedded import EmbeddedBox
    from harness.box.nodes import Pool, Taint
    from harness.core.gang import Gang, Role
    from harness.core.verdict import Outcome, Verdict

__all__ = ["EmbeddedBox", "Gang", "Outcome", "Pool", "Role", "Taint", "Verdict"]

_HOMES = {
    "EmbeddedBox": "harness.box.embedded", "Gang": "harness.core.gang", "Outcome": "harness.core.verdict",
    "Pool": "harness.box.nodes", "Role": "harness.core.gang", "Taint": "harness.box.nodes",
    "Verdict": "harness.core.verdict",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: the command line must start fast."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'harness' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
