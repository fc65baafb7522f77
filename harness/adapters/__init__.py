"""The integrations muster knows, by name. Adding one is a module here and a folder in manifests/."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from harness.core.errors import UsageError
from harness.core.text import nearest

if TYPE_CHECKING:
    from harness.adapters.common.base import Adapter

__all__ = ["adapter", "names"]


def names() -> list[str]:
    """Every integration, by name: `lws-yunikorn` is the module lws_yunikorn."""
    stems = [path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__"]
    return sorted(stem.replace("_", "-") for stem in stems)


def adapter(name: str) -> Adapter:
    """The integration of this name, NAME or NAME+VARIANT; UsageError that offers the nearest one."""
    from harness.adapters.common.variants import MARK, varied  # needs what `names` does not

    name, plus, variant = name.partition(MARK)
    if name not in names():
        raise UsageError(
            f"unknown integration {name!r}", hint=f"{nearest(name, names())}Integrations: {', '.join(names())}."
        )
    integration: Adapter = import_module(f"harness.adapters.{name.replace('-', '_')}").ADAPTER
    return varied(integration, variant) if plus else integration
