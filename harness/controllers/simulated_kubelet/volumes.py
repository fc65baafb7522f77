"""Volumes of a pod as folders of the host; those of ConfigMaps change in one step, as a kubelet changes them.

The files of a ConfigMap are symbolic links by way of `..data`, which points to a folder with the present content and is
replaced as a whole, so a script never sees half a change.
"""

from __future__ import annotations

import base64
import shutil
from collections.abc import Mapping
from pathlib import Path

from harness.controllers.runtime.client import Object

DATA = "..data"


def config_map_files(source: Object, config_map: Object | None) -> dict[str, bytes]:
    """The files of a ConfigMap volume: all keys, or the chosen ones under paths of their own."""
    content = {key: value.encode() for key, value in ((config_map or {}).get("data") or {}).items()}
    binary = (config_map or {}).get("binaryData") or {}
    content |= {key: base64.b64decode(value) for key, value in binary.items()}
    items = source.get("items")
    if not items:
        return content
    return {item["path"]: content[item["key"]] for item in items if item["key"] in content}


def project(folder: Path, files: Mapping[str, bytes]) -> None:
    """Let the folder have these files and no others, in one step."""
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / DATA
    before = data.resolve() if data.is_symlink() else None
    if before is not None and _content(before) == dict(files):
        return
    number = int(before.name.removeprefix("..")) + 1 if before is not None else 0
    after = folder / f"..{number}"
    after.mkdir()
    for name, content in files.items():
        path = after / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    link = folder / "..link"
    link.symlink_to(after.name)
    link.replace(data)
    names = {name.partition("/")[0] for name in files}
    for name in names:
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"{DATA}/{name}")
    for path in folder.iterdir():
        if path.is_symlink() and path.name not in names | {DATA}:
            path.unlink()
    if before is not None:
        shutil.rmtree(before)


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
