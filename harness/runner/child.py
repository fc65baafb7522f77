"""The child of a run: the pytest of one integration, which opens its testbed before anything else.

    python -m harness.runner.child < ORDER      one line of JSON, see `Child.begin`

To import what a testbed needs takes some tenths of a second, and pytest as much again. So `muster run` starts the child
as soon as it is called, and tells it what to do when its own options are read. The child opens the testbed in a thread
and imports pytest while the box starts. A child without an order ends with its parent's end of the pipe.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.box.parent import die_with_parent
from harness.runner import events, opening
from harness.runner.config import read_config

PRELOADED = ("harness.testbed.testbed", "harness.adapters", "harness.box.embedded.box")


@dataclass(frozen=True, slots=True)
class Child:
    """A child that waits for its order, or has it."""

    process: subprocess.Popen[bytes]

    @classmethod
    def start(cls) -> Child:
        command = [sys.executable, "-m", "harness.runner.child"]
        nowhere = subprocess.DEVNULL  # until it has its order
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, preexec_fn=die_with_parent
        )
        return cls(process)

    def begin(self, config: Path, integration: str, arguments: Sequence[str], log: Path, *, opens: bool) -> bool:
        """Give the order: this pytest, for this run.json, with its output in that file. False if it has ended.

        `opens` says that the child itself needs a testbed, and not only workers of its own.
        """
        from harness.runner.collect import pytest_environment  # only the parent needs it, and only now

        order = {
            "config": str(config),
            "integration": integration,
            "arguments": [*arguments],
            "log": str(log),
            "opens": opens,
            "environment": pytest_environment("harness.runner.plugin", "xdist.plugin"),
        }
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(order).encode() + b"\n")
            self.process.stdin.close()
        except OSError:
            return False
        return True

    def dismiss(self) -> None:
        """End a child that has no order."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()


_waiting: list[Child] = []


def prepare() -> None:
    """Start a child that the next run of this process will take."""
    _waiting.append(Child.start())


def take() -> Child:
    """The child that waits, or a new one."""
    return _waiting.pop() if _waiting else Child.start()


def dismiss() -> None:
    """End the children that were not taken."""
    while _waiting:
        _waiting.pop().dismiss()


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # where Ctrl-C is ignored our parent has to end us, too
    try:
        for module in PRELOADED:
            importlib.import_module(module)
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        return 130
    if not line:
        return 0
    order = json.loads(line)
    _redirect(Path(order["log"]))
    os.environ.clear()
    os.environ.update(order["environment"])
    if order["opens"]:
        config = read_config(Path(order["config"])).only(order["integration"])
        assert config.folder is not None
        opening.begin(config, events.Log(config.folder, events.MAIN))
    try:
        import pytest

        return int(pytest.main(order["arguments"]))
    except KeyboardInterrupt:  # it came before pytest could take it
        return 130
    finally:
        opening.discard()


def _redirect(log: Path) -> None:
    """Write to the log from now on, and read nothing more."""
    with log.open("ab") as output, Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)


if __name__ == "__main__":
    sys.exit(main())
