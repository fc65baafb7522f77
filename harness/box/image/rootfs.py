"""The Debian file system of a node, made by debootstrap and stored as a tar.

It does not depend on the version of Kubernetes, so it is made once. Documentation, translations and lists of packages
are removed; licences stay.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from harness.box.environment import download_environment
from harness.box.image import recipe
from harness.box.image.progress import Reporter, run_with_output
from harness.core.errors import HarnessError

EXCLUDED = (
    "usr/share/man",
    "usr/share/info",
    "usr/share/locale",
    "usr/share/lintian",
    "usr/share/i18n",
    "usr/share/zoneinfo",
    "var/cache",
    "var/lib/apt/lists",
    "var/log",
)
EMPTY = ("var/cache", "var/lib/apt/lists", "var/log")  # removed, but programs expect the folder
NEEDED = {"debootstrap": "debootstrap", "gcc": "gcc", "pkg-config": "pkg-config"}  # command -> Debian package


def require_tools() -> None:
    """HarnessError that names every missing requirement of a build, before the build starts."""
    missing = [package for command, package in NEEDED.items() if shutil.which(command, path=_path()) is None]
    if shutil.which("pkg-config") and subprocess.run(["pkg-config", "--exists", "libseccomp"], check=False).returncode:
        missing.append("libseccomp-dev")
    if missing:
        raise HarnessError(
            f"building a node image needs programs that are not installed: {', '.join(missing)}",
            hint=f"On Debian and Ubuntu: apt-get install {' '.join(missing)} (ci/docker-up does it).",
        )
    if os.geteuid() != 0:
        raise HarnessError(
            "building a node image needs root: debootstrap makes a whole system",
            hint="Run `sudo -E muster image build`, or copy an image from another machine: see docs/how-to/kind.md.",
        )


def provide(mirror: str, reporter: Reporter) -> Path:
    """The tar of the file system, made now if it is not there."""
    target = recipe.store() / f"rootfs-{recipe.recipe().suite}-{recipe.rootfs_key()[: recipe.SHORT]}.tar"
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".rootfs-", dir=target.parent) as folder:
        root = Path(folder) / "root"
        _debootstrap(root, mirror, reporter)
        reporter("tidying the file system")
        _tidy(root)
        packed = Path(folder) / "packed.tar"
        with tarfile.open(packed, "w", format=tarfile.GNU_FORMAT) as archive:
            archive.add(root, arcname=".")
        packed.replace(target)
    return target


def unpack(archive: Path, root: Path) -> None:
    """Extract the file system, with its owners and modes."""
    with tarfile.open(archive) as content:
        content.extractall(root, numeric_owner=True, filter="fully_trusted")


def _debootstrap(root: Path, mirror: str, reporter: Reporter) -> None:
    contents = recipe.recipe()
    command = [
        "debootstrap",
        "--variant=minbase",
        f"--include={','.join(contents.packages)}",
        contents.suite,
        root,
        mirror,
    ]
    done = 0

    def line(text: str) -> None:
        nonlocal done
        done += 1
        reporter(text.removeprefix("I: ")[:70], done)

    code, output = run_with_output(
        [str(argument) for argument in command], line, {**download_environment(), "PATH": _path()}
    )
    if code != 0:
        tail = "\n".join(f"  {text}" for text in output[-5:])
        raise HarnessError(
            f"debootstrap could not make Debian {contents.suite} from {mirror}:\n{tail}",
            hint="Check that the mirror can be reached, or name another: muster image build --mirror URL",
        )


def _tidy(root: Path) -> None:
    for name in EXCLUDED:
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
    """PATH with the folders of debootstrap, which only root has on PATH."""
    return f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/sbin{os.pathsep}/sbin"
