"""Which boxes run on this machine, kept as one folder each.

A box's folder holds everything it writes, and a `box.json` that says who keeps it. The folder is the truth: a box whose
keeper is gone is a leftover, which the next command that lists or stops boxes removes. Names are claimed by making the
folder, which only one process can do.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import stat
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from harness.box.data import state_root
from harness.core.errors import HarnessError, UsageError
from harness.core.files import write_private
from harness.core.waiting import until

STARTING_GRACE = 10.0  # seconds a folder may be without box.json while its box is being set up
PATIENCE = {"kind": 120.0}  # seconds until a keeper that does not end is killed, for boxes that take their time
KEPT_FAILURES = 5  # logs of the last failed boxes that stay for reading


@dataclass(frozen=True, slots=True)
class Entry:
    """What `box.json` says."""

    name: str
    kind: str
    kubernetes: str
    keeper: int  # pid
    keeper_started: float  # tells a reused pid from the keeper's own
    created: float
    server: str
    nodes: int
    persistent: bool  # stays after the muster that started it
    integration: str = ""

    @property
    def directory(self) -> Path:
        return boxes_root() / self.name

    @property
    def kubeconfig(self) -> Path:
        return self.directory / "kubeconfig"

    @property
    def alive(self) -> bool:
        try:
            process = psutil.Process(self.keeper)
            return abs(process.create_time() - self.keeper_started) < 2 and process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False


def boxes_root() -> Path:
    return state_root() / "boxes"


def claim(name: str | None) -> Path:
    """A new folder for a box of this name, or of a made-up one."""
    root = boxes_root()
    try:
        private_folder(root)
        for _ in range(3):
            directory = root / (name or f"box-{secrets.token_hex(3)}")
            try:
                directory.mkdir(mode=0o700)
                return directory
            except FileExistsError:
                entry = read(directory)
                if (entry is not None and entry.alive) or (entry is None and not _leftover(directory)):
                    break
                shutil.rmtree(directory, ignore_errors=True)
    except OSError as error:
        raise HarnessError(
            f"cannot make a folder for the box in {root}: {error.strerror}",
            hint="Free the folder's disk or permissions, or set XDG_STATE_HOME to a folder you can write.",
        ) from error
    raise UsageError(
        f"a box called {name!r} is already there", hint=f"Choose another --name, or stop it: muster down {name}"
    )


def check_name(name: str) -> str:
    """A box name is also a folder name; UsageError if it cannot be one."""
    if (
        not name
        or len(name) > 40
        or not all(c.isascii() and (c.isalnum() or c in "-_.") for c in name)
        or name[0] in "-."
    ):
        raise UsageError(
            f"{name!r} cannot be the name of a box",
            hint="Use up to 40 letters, digits, '-', '_' or '.', beginning with a letter or digit.",
        )
    return name


def write(entry: Entry, directory: Path) -> None:
    temporary = directory / ".box.json"
    write_private(temporary, json.dumps(asdict(entry), indent=1).encode())
    temporary.replace(directory / "box.json")


def read(directory: Path) -> Entry | None:
    """The entry of a box's folder; None if there is none to read."""
    try:
        return Entry(**json.loads((directory / "box.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None


def running() -> list[Entry]:
    """Every box that runs, by age; what dead ones left is removed on the way."""
    entries = []
    for directory in sorted(boxes_root().glob("*")):
        entry = read(directory)
        if entry is not None and entry.alive:
            entries.append(entry)
        elif entry is not None or _leftover(directory):
            shutil.rmtree(directory, ignore_errors=True)
    return sorted(entries, key=lambda entry: entry.created)


def find(name: str | None) -> Entry:
    """The box of this name; without a name the only one there is. UsageError otherwise."""
    boxes = running()
    names = ", ".join(entry.name for entry in boxes) or "none"
    if name is None:
        if len(boxes) == 1:
            return boxes[0]
        what = "no box is running" if not boxes else "several boxes are running; say which"
        hint = f"Running: {names}. Add its name: --name NAME, or the name alone for `muster down`."
        raise UsageError(what, hint=hint if boxes else f"Running: {names}. Start one: muster up")
    for entry in boxes:
        if entry.name == name:
            return entry
    raise UsageError(f"no box called {name!r} is running", hint=f"Running: {names}.")


def stop(entry: Entry, timeout: float | None = None) -> None:
    """End a box through its keeper and wait until nothing of it is left."""
    timeout = timeout or PATIENCE.get(entry.kind, 10.0)
    if entry.alive:
        os.kill(entry.keeper, signal.SIGTERM)
    try:
        until(lambda: not entry.alive, timeout, f"{entry.name} has ended", poll=0.01)
    except HarnessError:
        os.kill(entry.keeper, signal.SIGKILL)  # the kernel then kills its children
        until(lambda: not entry.alive, timeout, f"{entry.name} has ended after it was killed", poll=0.01)
    shutil.rmtree(entry.directory, ignore_errors=True)


def keep_logs(directory: Path) -> Path:
    """Move the logs of a box that failed to where they outlive it."""
    failed = state_root() / "failed"
    private_folder(failed)
    for old in sorted(failed.glob("*"), key=lambda path: path.stat().st_mtime)[: -KEPT_FAILURES + 1]:
        shutil.rmtree(old, ignore_errors=True)
    target = failed / f"{time.strftime('%Y%m%d-%H%M%S')}-{directory.name}"
    shutil.copytree(directory / "logs", target, dirs_exist_ok=True)
    return target


def private_folder(folder: Path) -> Path:
    """A folder below muster's state that only its owner can enter, and so is the one above, whatever the umask."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in (state_root(), folder):
        if stat.S_IMODE(path.stat().st_mode) != 0o700:
            path.chmod(0o700)
    return folder


def _leftover(directory: Path) -> bool:
    try:
        return time.time() - directory.stat().st_mtime > STARTING_GRACE
    except OSError:
        return False
