"""Signals that end muster end it as Ctrl-C does: everything is stopped, what was judged is in a report.

A CI job that is cancelled sends SIGTERM, a terminal that is closed sends SIGHUP, and a reader that has seen enough
closes the pipe. The shell's custom tells them apart by the exit code, 128 and the number of the signal.
"""

from __future__ import annotations

import os
import select
import signal
import stat
from types import FrameType
from typing import NoReturn

_last = signal.SIGINT  # what has interrupted this process; Ctrl-C unless another signal came


class Interrupted(KeyboardInterrupt):
    """Somebody wants this process to end. Code that is ready for Ctrl-C is ready for this."""


def listen() -> None:
    """Treat SIGTERM and SIGHUP as Ctrl-C, but not where they are ignored, as under nohup."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _received)


def interrupt(number: signal.Signals) -> NoReturn:
    """End what is going on, as this signal would."""
    global _last
    _last = number
    raise Interrupted


def exit_code() -> int:
    """The exit code of a process that was interrupted."""
    return 128 + _last


def output_closed() -> bool:
    """Whether the reader of stdout or stderr has closed it."""
    poll = select.poll()
    for descriptor in (1, 2):
        poll.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def mute(*descriptors: int) -> None:
    """Let what is written from now on go nowhere, so that the work can still be finished."""
    null = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(null, descriptor)
    os.close(null)


def _received(number: int, _frame: FrameType | None) -> None:
    if number == signal.SIGHUP:
        terminals = [descriptor for descriptor in (1, 2) if stat.S_ISCHR(os.fstat(descriptor).st_mode)]
        mute(*terminals)  # the terminal is gone, and the next write to it would be an error
    interrupt(signal.Signals(number))
