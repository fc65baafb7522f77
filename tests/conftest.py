"""Make the tests mean the same wherever they are started from."""

import os
import shutil
import signal
import tempfile

import pytest

STATE = "XDG_STATE_HOME"
WORKER = "PYTEST_XDIST_WORKER"  # the name of a worker, if there are several
folder = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts background jobs with Ctrl-C ignored, and children inherit that; several tests press Ctrl-C in one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Programs are those of the locks, whether the vendors' servers can be reached or not.
    os.environ.setdefault("MUSTER_SOURCE", "build")
    # Tests ask which boxes there are, so each worker has a state folder of its own. Its name is short, as sockets need.
    if os.environ.pop(WORKER, None):
        config.stash[folder] = os.environ[STATE] = tempfile.mkdtemp(prefix="muster-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if path := config.stash.get(folder, ""):
        shutil.rmtree(path, ignore_errors=True)
