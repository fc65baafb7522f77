"""The errors of muster itself, and the exit codes for them.

A violation by a scheduler is never an exception: it is a `Verdict`. An exception means that muster could not do its
work, so a reader of a failed run can tell "the scheduler is wrong" from "the harness could not judge".

    MusterError          base class; the message says what happened, the hint says what to do next
    ├── UsageError       an argument, a file or a name is wrong (exit 4)
    └── HarnessError     the machine, the network or a process failed (exit 3)
        ├── ArtifactError    a binary could not be found, built or verified
        ├── ProcessError     a component died or did not become ready
        ├── ApiError         the API server rejected a request of the harness
        └── UnsupportedError the box cannot do what a case asks of it
"""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path


class ExitCode(IntEnum):
    """What the `muster` command ends with; documented in docs/reference/exit-codes.md."""

    CONFORMANT = 0  # muster did everything that was asked; every verdict is pass or not-supported
    VIOLATED = 1  # at least one clause was violated, with a witness
    UNKNOWN = 2  # no violation, but something could not be judged
    HARNESS = 3  # muster could not do its work
    USAGE = 4  # the command line, a file or a name given to muster is wrong
    INTERRUPTED = 130  # Ctrl-C, or 128 and the number of another signal; all that was started has been stopped


class MusterError(Exception):
    """Base of every error muster raises on purpose."""

    exit_code = ExitCode.HARNESS

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.logs: Path | None = None  # where the logs of a box that failed are

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(MusterError):
    """An argument, a file or a name is not allowed; the hint names what is allowed."""

    exit_code = ExitCode.USAGE


class HarnessError(MusterError):
    """muster could not do its work; nothing was judged."""


class ArtifactError(HarnessError):
    """A binary could not be found, built or verified."""


class ProcessError(HarnessError):
    """A component of a box died, or did not become ready in time."""


class UnsupportedError(HarnessError):
    """The box cannot do what a case asks of it, so the case is not supported there; the message is the reason."""


class ApiError(HarnessError):
    """The API server answered a request of the harness with an error status."""

    def __init__(self, message: str, *, status: int, reason: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.reason = reason
