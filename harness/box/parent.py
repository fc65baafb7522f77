"""Children that never outlive us: the kernel ends them when we are gone, also when we are killed outright.

Where the kernel has no such signal (anything but Linux) a child that is left alone runs to its end.
"""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded before any fork: a child must not load anything


def die_with_parent() -> None:
    """For `preexec_fn`: have this child killed when the thread that made it ends."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
