"""An image with muster itself in it: the reference controllers are Python, and a cluster needs something to run.

It is made of what runs here: this interpreter with its library, muster and the packages muster needs, and the shared
libraries that any of these loads. No package index and no base image is asked.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import harness
from harness.box.data import data_root, in_checkout
from harness.box.image.archive import PATH, Image

HOME = "/opt/muster"
LEFT_OUT = {"__pycache__", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "site-packages"}
DATA = ("clusters", "manifests")  # what commands look for besides code
_LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")
_REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")


def muster_image(name: str, program: str = "muster", words: Sequence[str] = ()) -> Image:
    """The image, started as `muster` with these words, to which its arguments are added.

    The interpreter goes by the name of the program, so that it can be told from others among the processes of a node.
    """
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = f"{HOME}/lib/{version}/site-packages"
    files: dict[str, Path | str] = {f"{HOME}/bin/{program}": Path(sys._base_executable).resolve()}  # type: ignore[attr-defined]
    files |= _tree(Path(sysconfig.get_paths()["stdlib"]), f"{HOME}/lib/{version}")
    for found in _needed("muster"):
        files |= _of(found, packages)
    files |= _tree(Path(harness.__file__).parent, f"{packages}/harness")
    if in_checkout():
        for folder in DATA:
            files |= _tree(data_root() / folder, f"{packages}/harness/_data/{folder}")
    files |= _libraries(path for path in files.values() if isinstance(path, Path))
    entrypoint = (f"{HOME}/bin/{program}", "-m", "harness", *words)
    return Image(name, files, entrypoint, environment=(PATH,), folders=("tmp", "etc"))


def _tree(root: Path, where: str) -> dict[str, Path | str]:
    """Every file below a folder, under its place in the image."""
    found: dict[str, Path | str] = {}
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.is_file() and path.suffix != ".a" and not LEFT_OUT & set(inside.parts):
            found[f"{where}/{inside.as_posix()}"] = path
    return found


def _needed(name: str) -> Iterator[Distribution]:
    """A package and all that it needs; what this system does not need is not installed here either."""
    waiting, seen = [name], set()
    while waiting:
        wanted = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if wanted in seen:
            continue
        seen.add(wanted)
        try:
            found = distribution(wanted)
        except PackageNotFoundError:
            continue
        yield found
        for requirement in found.requires or ():
            if "extra ==" not in requirement and (match := _REQUIREMENT.match(requirement)):
                waiting.append(match[0])


def _of(found: Distribution, where: str) -> dict[str, Path | str]:
    """The files of an installed package; of an editable one only what says that it is there."""
    files: dict[str, Path | str] = {}
    for file in found.files or ():
        path = Path(str(file.locate()))
        inside = file.parts[0] != ".." and "__pycache__" not in file.parts and file.suffix != ".pth"
        if inside and path.is_file() and file.name not in ("RECORD", "direct_url.json"):
            files[f"{where}/{file.as_posix()}"] = path
    return files


def _libraries(paths: Iterable[Path]) -> dict[str, Path | str]:
    """Every shared library that one of these programs and modules loads, under its own path."""
    chosen = [str(path) for path in paths if path.suffix == ".so" or ".so." in path.name or path.parent.name == "bin"]
    listed = subprocess.run(["ldd", *chosen], capture_output=True, text=True, check=False).stdout
    return {name: Path(name).resolve() for name in sorted(set(_LIBRARY.findall(listed)))}
