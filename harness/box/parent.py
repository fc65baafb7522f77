"""Children that never outlive us: the kernel ends them when we are gone, also when we are killed outright.

Where the kernel has no such signal (anything but Linux) a child that is left alone runs to its end.
"""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1
_INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded before any fork: a child must not load anything


def hold_signals() -> None:
    """Let a signal that would interrupt wait: Python loses the exception for one that comes while it forks."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTING)


def release_signals() -> None:
    """Undo `hold_signals`; what came meanwhile is raised now."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTING)


def die_with_parent() -> None:
    """For `preexec_fn`: have this child killed when the thread that made it ends."""
    release_signals()
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
