"""Make the tests mean the same wherever they are started from."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

TESTS = Path(__file__).parent
# What needs no box may run beside what does. Boxes are tested one after another, as each is a load for the others; but
# tests of clusters that are already there ask what is done to them, and not how soon, so they are a second row.
WITHOUT_BOXES = ("adapters", "artifacts", "controllers", "core", "mutation", "report", "runner", "suites")
STARTS_BOXES = (  # but these of their files do
    "test_barrier_in_a_box.py",
    "test_docs_run.py",
    "test_jobset_gang_crashes.py",
    "test_jobset_gang_rights.py",
    "test_literal_barrier.py",
    "test_lws_crashes.py",
    "test_order.py",
    "test_quick_proof.py",
    "test_service_in_a_box.py",
)

CLUSTERS = "existing"  # the folder of tests of clusters that are already there
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


class BoxesOneByOne(LoadScopeScheduling):  # type: ignore[misc]
    """Tests that start boxes go to two workers, one after another; of the others each file goes to some worker."""

    def _split_scope(self, nodeid: str) -> str:
        path = Path(nodeid.partition("::")[0])
        folder, *rest = path.parts[path.parts.index(TESTS.name) + 1 :]
        is_beside = folder in WITHOUT_BOXES or not rest
        if is_beside and path.name not in STARTS_BOXES:
            return str(path)
        return CLUSTERS if folder == CLUSTERS else "boxes"


@pytest.hookimpl(optionalhook=True)  # absent with -p no:xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> BoxesOneByOne:
    return BoxesOneByOne(config, log)


def pytest_unconfigure(config: pytest.Config) -> None:
    if path := config.stash.get(folder, ""):
        shutil.rmtree(path, ignore_errors=True)
