"""Where muster's files are: the data that ships with it, and the folders that belong to the user.

The data (clusters/, manifests/, suites/) lies beside the package in a checkout and inside it in an installed wheel.
Nobody else asks where it is, so moving it is a change to this file alone. User folders follow XDG; an XDG variable
that is set wins on every platform, which is also how the tests keep away from the real cache.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from harness.core.errors import HarnessError

PACKAGE = Path(__file__).resolve().parent.parent  # the folder harness/

__all__ = ["PACKAGE", "cache_root", "config_root", "data_root", "in_checkout", "state_root", "user_data_root"]


def data_root() -> Path:
    """The folder that holds clusters/, manifests/ and suites/."""
    package = PACKAGE
    for root in (package.parent, package / "_data"):
        if (root / "clusters" / "components.yaml").is_file():
            return root
    raise HarnessError(
        f"muster's own data is missing: no clusters/components.yaml beside or inside {package}",
        hint="Install muster again (`pip install --force-reinstall gang-muster`), or run it from a complete checkout.",
    )


def in_checkout() -> bool:
    """Whether muster runs from a source tree, where new locks belong into the repository."""
    return (data_root() / "pyproject.toml").is_file()


def cache_root() -> Path:
    """Everything that can be made again: artifacts, the Go module and build caches, toolchains."""
    return _xdg("XDG_CACHE_HOME", platformdirs.user_cache_path("muster"))


def user_data_root() -> Path:
    """What the user made and would miss: locks of further versions."""
    return _xdg("XDG_DATA_HOME", platformdirs.user_data_path("muster"))


def state_root() -> Path:
    """What is true of this machine now: the boxes that run on it, and the logs of those that failed."""
    return _xdg("XDG_STATE_HOME", platformdirs.user_state_path("muster"))


def config_root() -> Path:
    """The folder of the user's config.toml."""
    return _xdg("XDG_CONFIG_HOME", platformdirs.user_config_path("muster"))


def _xdg(variable: str, default: Path) -> Path:
    """The XDG specification ignores relative values; so do we."""
    value = os.environ.get(variable, "")
    return Path(value) / "muster" if Path(value).is_absolute() else default
