"""A snapshot of an etcd that an API server has filled, so that the next box need not wait for that.

A fresh API server spends almost half of its start creating roles, namespaces and priority classes. That content depends
only on the binaries and their gates. The snapshot is taken once, kept in the cache by the hash of what it depends on,
and copied into each new box (sparsely: etcd's write-ahead log is a 64 MB file with a few kilobytes in it).
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from filelock import FileLock

from harness.box.data import cache_root

FORMAT = "1"  # raised when the way of taking snapshots changes
BLOCK = 64 * 1024


def key_of(parts: Iterable[str]) -> str:
    """The name of the snapshot whose content depends on these parts alone."""
    return hashlib.sha256(json.dumps([FORMAT, *parts]).encode()).hexdigest()[:16]


def restore(key: str, target: Path, take: Callable[[Path], None]) -> bool:
    """Copy the snapshot to `target`; `take(folder)` makes it if it is missing. Whether it was there."""
    home = cache_root() / "etcd-snapshots"
    home.mkdir(parents=True, exist_ok=True)
    snapshot = home / key
    was_there = snapshot.is_dir()
    if not was_there:
        with FileLock(home / f"{key}.lock"):
            if not snapshot.is_dir():
                scratch = home / f"{key}.{secrets.token_hex(4)}.partial"
                try:
                    take(scratch)
                    scratch.rename(snapshot)
                finally:
                    shutil.rmtree(scratch, ignore_errors=True)
    copy_sparse(snapshot, target)
    return was_there


def copy_sparse(source: Path, target: Path) -> None:
    """Copy a folder, leaving holes where files hold only zeros."""
    target.mkdir(mode=0o700)
    for path in source.iterdir():
        if path.is_dir():
            copy_sparse(path, target / path.name)
        elif path.suffix != ".tmp":  # space etcd set aside for its next log file
            _copy_file(path, target / path.name)


def _copy_file(source: Path, target: Path) -> None:
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with source.open("rb", buffering=0) as reader, os.fdopen(descriptor, "wb", buffering=0) as writer:
        size = os.fstat(reader.fileno()).st_size
        offset = 0
        while offset < size:
            try:
                offset = os.lseek(reader.fileno(), offset, os.SEEK_DATA)
            except OSError:
                break  # only a hole is left
            end = os.lseek(reader.fileno(), offset, os.SEEK_HOLE)
            while offset < end:
                reader.seek(offset)
                block = reader.read(min(BLOCK, end - offset))
                if block.strip(b"\0"):
                    writer.seek(offset)
                    writer.write(block)
                offset += len(block)
        writer.truncate(size)
