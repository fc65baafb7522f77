"""The images that a node has before it starts: one binary each, with only the files that it needs.

They have the names that kubeadm asks for, so a cluster starts without access to a registry.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from harness.box.artifacts import Artifact
from harness.box.image import recipe
from harness.box.image.archive import Image, write
from harness.box.image.recipe import InnerImage
from harness.core.errors import HarnessError

_LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")


def write_all(artifacts: Mapping[str, Artifact], root: Path, work: Path) -> list[Path]:
    """Write every inner image of the recipe into a folder; `root` is the Debian file system."""
    numbers = {name.replace("-", "_"): artifact.version for name, artifact in artifacts.items()}
    archives = []
    for index, inner in enumerate(recipe.recipe().images):
        image = _image(inner, inner.name.format(**numbers), artifacts, root, work)
        archives.append(write(image, work / f"{index:02}.tar"))
    return archives


def _image(inner: InnerImage, name: str, artifacts: Mapping[str, Artifact], root: Path, work: Path) -> Image:
    files: dict[str, Path | str] = {}
    entrypoint: tuple[str, ...] = ()
    if inner.program:
        component, _, process = inner.program.partition(".")
        binary = artifacts[component].binaries[process]
        files[f"/usr/local/bin/{binary.name}"] = binary
        entrypoint = (f"/usr/local/bin/{binary.name}",)
    if inner.compiled:
        program = compile_static(recipe.source() / inner.compiled, work)
        files[f"/{program.name}"] = program
        entrypoint = (f"/{program.name}",)
    for path in inner.debian:
        files |= with_libraries(path, root)
    if inner.shell:
        files |= shell(root)
    return Image(
        name,
        files,
        entrypoint if inner.entrypoint else (),
        command=("sh",) if inner.shell else (),
        folders=("tmp", "etc") if inner.shell or inner.program else (),
    )


def with_libraries(path: str, root: Path) -> dict[str, Path | str]:
    """A program of the Debian file system and every library that it loads, under the same paths."""
    listed = subprocess.run(["chroot", str(root), "ldd", path], capture_output=True, text=True, check=False)
    names = {path, *_LIBRARY.findall(listed.stdout)}
    if "not a dynamic executable" not in listed.stdout + listed.stderr and len(names) == 1:
        raise HarnessError(f"ldd printed nothing about {path} of the Debian file system: {listed.stderr.strip()}")
    return {name: _inside(root, name) for name in sorted(names)}


def shell(root: Path) -> dict[str, Path | str]:
    """A symlink to busybox for every program that it contains."""
    listed = subprocess.run(["chroot", str(root), "/bin/busybox", "--list"], capture_output=True, text=True, check=True)
    return {f"/bin/{name}": "-> /bin/busybox" for name in listed.stdout.split() if name != "busybox"}


def compile_static(source: Path, work: Path) -> Path:
    """A C file of clusters/image, compiled to a static program."""
    target = work / source.stem
    command = ["gcc", "-Os", "-static", "-s", "-Wl,--build-id=none", "-o", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise HarnessError(f"gcc could not compile {source.name}:\n{done.stderr.strip()[-800:]}")
    return target


def _inside(root: Path, name: str) -> Path:
    """The real file behind a path of the file system; absolute links start at `root`."""
    path = root
    for part in Path(name).parts[1:]:
        path = path / part
        while path.is_symlink():
            target = path.readlink()
            path = root / target.relative_to("/") if target.is_absolute() else path.parent / target
    return path
