"""The Debian file system underneath a node, made by debootstrap and kept as a tar.

It changes when Debian does, not when Kubernetes does, so it is made once. Documentation, translations and lists of
packages are left out; licences stay.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from harness.box.image import recipe
from harness.box.image.say import Say, watched
from harness.core.errors import HarnessError

LEFT_OUT = (
    "usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/lintian", "usr/share/i18n", "usr/share/zoneinfo",
    "var/cache", "var/lib/apt/lists", "var/log",
)  # fmt: skip
EMPTY = ("var/cache", "var/lib/apt/lists", "var/log")  # left out, but programs expect the folder
NEEDED = {"debootstrap": "debootstrap", "gcc": "gcc", "pkg-config": "pkg-config"}  # command -> Debian package


def require_tools() -> None:
    """HarnessError that names everything that is missing for building an image, before anything is begun."""
    missing = [package for command, package in NEEDED.items() if shutil.which(command, path=_path()) is None]
    if shutil.which("pkg-config") and subprocess.run(["pkg-config", "--exists", "libseccomp"], check=False).returncode:
        missing.append("libseccomp-dev")
    if missing:
        raise HarnessError(
            f"building a node image needs programs that are not here: {', '.join(missing)}",
            hint=f"On Debian and Ubuntu: apt-get install {' '.join(missing)} (ci/docker-up does it).",
        )
    if os.geteuid() != 0:
        raise HarnessError(
            "building a node image needs root: debootstrap makes a whole system",
            hint="Run `sudo -E muster image build`, or carry an image here: see docs/how-to/kind.md.",
        )


def provide(mirror: str, say: Say) -> Path:
    """The tar of the file system, made now if it is not there."""
    target = recipe.store() / f"rootfs-{recipe.recipe().suite}-{recipe.rootfs_key()[: recipe.SHORT]}.tar"
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".rootfs-", dir=target.parent) as folder:
        root = Path(folder) / "root"
        _debootstrap(root, mirror, say)
        say("tidying the file system")
        _tidy(root)
        packed = Path(folder) / "packed.tar"
        with tarfile.open(packed, "w", format=tarfile.GNU_FORMAT) as archive:
            archive.add(root, arcname=".")
        packed.replace(target)
    return target


def unpack(archive: Path, root: Path) -> None:
    """Lay the file system out, with its owners and modes."""
    with tarfile.open(archive) as content:
        content.extractall(root, numeric_owner=True, filter="fully_trusted")


def _debootstrap(root: Path, mirror: str, say: Say) -> None:
    made = recipe.recipe()
    command = ["debootstrap", "--variant=minbase", f"--include={','.join(made.packages)}", made.suite, root, mirror]
    done = 0

    def line(text: str) -> None:
        nonlocal done
        done += 1
        say(text.removeprefix("I: ")[:70], done)

    code, output = watched([str(word) for word in command], line, {**os.environ, "PATH": _path()})
    if code != 0:
        tail = "\n".join(f"  {text}" for text in output[-5:])
        raise HarnessError(
            f"debootstrap could not make Debian {made.suite} from {mirror}:\n{tail}",
            hint="Check that the mirror can be reached, or name another: muster image build --mirror URL",
        )


def _tidy(root: Path) -> None:
    for name in LEFT_OUT:
        shutil.rmtree(root / name, ignore_errors=True)
    for name in EMPTY:
        (root / name).mkdir(parents=True)
    for path in (root / "usr/share/doc").rglob("*"):
        if path.name != "copyright" and not path.is_dir():
            path.unlink()
    for name in ("etc/machine-id", "etc/hostname", "etc/resolv.conf"):
        (root / name).unlink(missing_ok=True)
    for leftover in (*(root / "var/cache").glob("*"), *(root / "tmp").glob("*")):
        shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()


def _path() -> str:
    """debootstrap lives where only root looks."""
    return f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/sbin{os.pathsep}/sbin"
