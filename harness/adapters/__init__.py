"""The integrations muster knows, by name. Adding one is a module here and a folder in manifests/."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from harness.adapters.base import Adapter
from harness.box.artifacts.register import nearest
from harness.core.errors import UsageError

_HELPERS = {
    "__init__", "base", "hosting", "jobset", "lws_controller", "lws_provider", "reference", "released", "render",
}  # fmt: skip

__all__ = ["Adapter", "adapter", "names"]


def names() -> list[str]:
    """Every integration, by name: `lws-yunikorn` is the module lws_yunikorn."""
    stems = [path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in _HELPERS]
    return sorted(stem.replace("_", "-") for stem in stems)


def adapter(name: str) -> Adapter:
    """The integration of this name; UsageError that offers the nearest one."""
    if name not in names():
        raise UsageError(
            f"unknown integration {name!r}", hint=f"{nearest(name, names())}Integrations: {', '.join(names())}."
        )
    found: Adapter = import_module(f"harness.adapters.{name.replace('-', '_')}").ADAPTER
    return found
