"""Images of muster itself: of one reference controller, and of all of muster, for clusters and CI without Python.

It contains this interpreter with its standard library, muster and the packages that muster needs, and the shared
libraries that any of these loads. It needs no package index and no base image.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from harness.box.data import PACKAGE, data_root, in_checkout
from harness.box.image.archive import PATH, Image

HOME = "/opt/muster"
DISTRIBUTION = "gang-muster"  # the name of our package
LEFT_OUT = {"__pycache__", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "site-packages"}
CONTROLLER_DATA = ("clusters", "manifests")  # what a reference controller reads
ALL_DATA = (*CONTROLLER_DATA, "suites", "ci/expected", "ci/proof.yaml")  # as in the wheel
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")  # of the authorities that sign vendors' servers
_LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")
_REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")


def whole_image(name: str) -> Image:
    """An image with everything that the wheel has; `docker run IMAGE run --profile core` is `muster run ...`."""
    image = muster_image(name, data=ALL_DATA)
    files = {**image.files, **({str(CERTIFICATES): CERTIFICATES.resolve()} if CERTIFICATES.is_file() else {})}
    environment = (*image.environment, "HOME=/root", "LANG=C.UTF-8")
    return replace(image, files=files, environment=environment, folders=(*image.folders, "root"))


def muster_image(
    name: str, program: str = "muster", arguments: Sequence[str] = (), data: Sequence[str] = CONTROLLER_DATA
) -> Image:
    """An image that starts `muster` with these arguments; the pod may add more.

    The interpreter has the name of the program, so that it can be recognised among the processes of a node.
    """
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = f"{HOME}/lib/{version}/site-packages"
    files: dict[str, Path | str] = {f"{HOME}/bin/{program}": Path(sys._base_executable).resolve()}  # type: ignore[attr-defined]
    files |= _tree(Path(sysconfig.get_paths()["stdlib"]), f"{HOME}/lib/{version}")
    for package in _needed(DISTRIBUTION):
        files |= _files_of(package, packages)
    files |= _tree(PACKAGE, f"{packages}/harness")
    if in_checkout():
        for part in data:
            path, where = data_root() / part, f"{packages}/harness/_data/{part}"
            files |= {where: path} if path.is_file() else _tree(path, where)
    files |= _libraries(path for path in files.values() if isinstance(path, Path))
    entrypoint = (f"{HOME}/bin/{program}", "-m", "harness", *arguments)
    return Image(name, files, entrypoint, environment=(PATH,), folders=("tmp", "etc"))


def _tree(root: Path, where: str) -> dict[str, Path | str]:
    """Every file below a folder, by its path in the image."""
    files: dict[str, Path | str] = {}
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.is_file() and path.suffix != ".a" and not LEFT_OUT & set(inside.parts):
            files[f"{where}/{inside.as_posix()}"] = path
    return files


def _needed(name: str) -> Iterator[Distribution]:
    """A package and all installed packages that it needs."""
    waiting, names = [name], set()
    while waiting:
        normalized = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if normalized in names:
            continue
        names.add(normalized)
        try:
            package = distribution(normalized)
        except PackageNotFoundError:
            continue
        yield package
        for requirement in package.requires or ():
            if "extra ==" not in requirement and (match := _REQUIREMENT.match(requirement)):
                waiting.append(match[0])


def _files_of(package: Distribution, where: str) -> dict[str, Path | str]:
    """The files of an installed package; of an editable package only its metadata."""
    files: dict[str, Path | str] = {}
    for file in package.files or ():
        path = Path(str(file.locate()))
        inside = file.parts[0] != ".." and "__pycache__" not in file.parts and file.suffix != ".pth"
        if inside and path.is_file() and file.name not in ("RECORD", "direct_url.json"):
            files[f"{where}/{file.as_posix()}"] = path
    return files


def _libraries(paths: Iterable[Path]) -> dict[str, Path | str]:
    """Every shared library that one of these programs and modules loads, by its path."""
    programs = [str(path) for path in paths if path.suffix == ".so" or ".so." in path.name or path.parent.name == "bin"]
    listed = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    return {name: Path(name).resolve() for name in sorted(set(_LIBRARY.findall(listed)))}
