"""A program of an integration that is started in another way: by a mutant of ours, or with something that degrades it.

The run gets it as `--binary COMPONENT.PROCESS=PATH`, as a user would give a program of their own. A path can carry no
arguments, so it is that of a launcher of one line.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.box.artifacts import resolve
from harness.box.minor import default_minor

OBJECTS = Path(__file__).parent / "degraded"


@dataclass(frozen=True, slots=True)
class Program:
    """What is started in place of a program."""

    module: tuple[str, ...] = ()  # a module of ours and its arguments; nothing: the program itself, degraded
    flags: tuple[str, ...] = ()  # further flags at the end
    objects: str = ""  # a file in degraded/, applied before the program starts
    replace: Mapping[str, str] = field(default_factory=dict)  # words in its arguments that become others
    interferer: str = ""  # a controller runs beside it that makes a Pod for every Workload, or a Workload for every pod
    company: int = 0  # a controller runs beside it that takes gates of members away once so many are there
    off_for_good: str = ""  # a feature gate that stays off once the program was started without it
    clear: bool = False  # all Workloads are deleted before it starts

    @property
    def how(self) -> str:
        """Class, objects or flags: by what it is made wrong."""
        return "class" if self.module else "objects" if self.objects or self.interferer or self.clear else "flags"

    def launcher(self, name: str, folder: Path, kubernetes: str) -> Path:
        """An executable in the folder that starts it in the place of COMPONENT.PROCESS."""
        path = (folder / name).absolute()
        line = f'{shlex.join(self._command(name, kubernetes))} "$@" {shlex.join(self.flags)}'
        path.write_text(f"#!/bin/sh\nexec {line.rstrip()}\n")
        path.chmod(0o755)
        return path

    def _command(self, name: str, kubernetes: str) -> list[str]:
        if self.module:
            return [sys.executable, "-m", *self.module]
        component, _, process = name.partition(".")
        version = (kubernetes or default_minor()) if component == "kubernetes" else None
        program = str(resolve(component, version).binaries[process])
        options = ["--objects", str(OBJECTS / self.objects)] if self.objects else []
        options += [word for old, new in self.replace.items() for word in ("--replace", f"{old}={new}")]
        options += ["--interferer", self.interferer] if self.interferer else []
        options += ["--company", str(self.company)] if self.company else []
        options += ["--off-for-good", self.off_for_good] if self.off_for_good else []
        options += ["--clear"] if self.clear else []
        return [sys.executable, "-m", "harness.mutation.degrade", *options, "--", program] if options else [program]
