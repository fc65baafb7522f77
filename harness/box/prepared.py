"""An etcd that has seen its API server once, so that the next box need not wait for it to write down its basics.

A fresh API server spends almost half of its start creating roles, namespaces and priority classes. That content depends
only on the binaries and their gates. It is made once, kept in the cache by the hash of what it depends on, and copied
into each new box (sparsely: etcd's write-ahead log is a 64 MB file with a few kilobytes in it).
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

FORMAT = "1"  # raised when the way of preparing changes
BLOCK = 64 * 1024


def key(parts: Iterable[str]) -> str:
    """A name for the content that follows from these parts."""
    return hashlib.sha256(json.dumps([FORMAT, *parts]).encode()).hexdigest()[:16]


def install(name: str, target: Path, make: Callable[[Path], None]) -> bool:
    """Copy the prepared data directory to `target`; `make(folder)` prepares it if nobody did. Whether it was there."""
    home = cache_root() / "prepared"
    home.mkdir(parents=True, exist_ok=True)
    ready = home / name
    found = ready.is_dir()
    if not found:
        with FileLock(home / f"{name}.lock"):
            if not ready.is_dir():
                scratch = home / f"{name}.{secrets.token_hex(4)}.partial"
                try:
                    make(scratch)
                    scratch.rename(ready)
                finally:
                    shutil.rmtree(scratch, ignore_errors=True)
    copy_sparse(ready, target)
    return found


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
