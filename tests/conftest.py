"""Make the tests mean the same wherever they are started from."""

import os
import signal


def pytest_configure() -> None:
    # A shell starts background jobs with Ctrl-C ignored, and children inherit that; several tests press Ctrl-C in one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Programs are those of the locks, whether the vendors' servers can be reached or not.
    os.environ.setdefault("MUSTER_SOURCE", "build")
