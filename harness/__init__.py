"""muster: Kubernetes in a box, and the conformance suite for gang scheduling.

    from harness import EmbeddedBox, Pool

    with EmbeddedBox(kubernetes="1.37", nodes=[Pool(8, gpus=8)]) as box:
        box.api.list(...)

What is exported here is all that cases and users import; everything else may change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.core.version import __version__ as __version__

if TYPE_CHECKING:
    from harness.box.embedded.box import EmbeddedBox as EmbeddedBox
    from harness.box.kind.box import KindBox as KindBox
    from harness.box.nodes import Pool as Pool
    from harness.box.nodes import Taint as Taint
    from harness.cases.declare import case as case
    from harness.cases.world import World as World
    from harness.core.gang import Gang as Gang
    from harness.core.gang import Role as Role
    from harness.core.verdict import Outcome as Outcome
    from harness.core.verdict import Verdict as Verdict

_MODULES = {
    "EmbeddedBox": "harness.box.embedded.box",
    "Gang": "harness.core.gang",
    "KindBox": "harness.box.kind.box",
    "Outcome": "harness.core.verdict",
    "Pool": "harness.box.nodes",
    "Role": "harness.core.gang",
    "Taint": "harness.box.nodes",
    "Verdict": "harness.core.verdict",
    "World": "harness.cases.world",
    "case": "harness.cases.declare",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: the command line must start fast."""
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module 'harness' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(_MODULES)
