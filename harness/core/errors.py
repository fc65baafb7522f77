"""The faults muster itself can have, and the exit codes they end in.

A scheduler that breaks a law is never an exception: it is a `Verdict`. Exceptions mean that muster could not do its
work, so a reader of a red run can tell "the scheduler is wrong" from "the harness could not judge".

    MusterError          anything below; message says what happened, hint says what to do next
    ├── UsageError       the caller gave something that cannot be meant (exit 4)
    └── HarnessError     the machine, the network or a process failed us (exit 3)
        ├── ArtifactError    a binary could not be had
        ├── ProcessError     a component died or never became ready
        └── ApiError         the API server refused a request of the harness
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the `muster` command ends with; documented in docs/reference/exit-codes.md."""

    CONFORMANT = 0  # everything asked for was done; every verdict is pass or not-supported
    VIOLATED = 1  # at least one law was broken, with a witness
    UNKNOWN = 2  # nothing was broken, but something could not be judged
    HARNESS = 3  # muster could not do its work
    USAGE = 4  # the command line, a file or a name given to muster is wrong
    INTERRUPTED = 130  # Ctrl-C; everything that was started has been stopped


class MusterError(Exception):
    """Base of every error muster raises on purpose."""

    exit_code = ExitCode.HARNESS

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(MusterError):
    """Something given to muster is not allowed; the hint names what is."""

    exit_code = ExitCode.USAGE


class HarnessError(MusterError):
    """muster could not do its work; nothing was judged."""


class ArtifactError(HarnessError):
    """A binary could not be found, built or verified."""


class ProcessError(HarnessError):
    """A component of a box died, or did not become ready in time."""


class ApiError(HarnessError):
    """The API server answered a request of the harness with an error status."""

    def __init__(self, message: str, *, status: int, reason: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.reason = reason
