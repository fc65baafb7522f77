"""Between two cases: everything that the last one left is undone, deleted and seen to be gone.

Nothing is restarted unless the case may have broken it. Pods, gang objects and nodes are proven gone by a fresh list;
namespaces go in the background, since their names are never used twice.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from harness.box.api import Api
from harness.box.base import Box
from harness.box.busy import BUSY
from harness.core.errors import ApiError, HarnessError, MusterError
from harness.core.kinds import NAMESPACE, NODE, POD, Kind
from harness.core.waiting import until
from harness.testbed.canary import run_canary
from harness.testbed.objects import ROOT_CA

if TYPE_CHECKING:
    from harness.testbed.testbed import Testbed

POLL = 0.005  # seconds between two lists while the last objects go
TRIES, PAUSE = 5, 1.0  # how often an API server that has no time is asked, and the seconds between
AGAIN = (*BUSY, 500, 504)  # what it answers then


def reset(testbed: Testbed) -> None:
    """Empty the box. HarnessError if something does not go."""
    for attempt in range(TRIES):
        try:
            _reset(testbed)
            break
        except ApiError as error:
            if error.status not in AGAIN or attempt == TRIES - 1:
                raise
            time.sleep(PAUSE)


def renew(testbed: Testbed) -> None:
    """Restart the integration and see it work."""
    _restart_integration(testbed)
    run_canary(testbed)


def _reset(testbed: Testbed) -> None:
    box, patience = testbed.box, testbed.deadlines["reset"]
    with contextlib.suppress(MusterError):  # a command line that the case changed may not start; it is undone next
        _run_all_processes(box)
    testbed.cleanup.close()
    _run_all_processes(box)
    namespaces = testbed.namespaces
    may_wait = testbed.markers and testbed.adapter.works_in_cycles  # a marker may still wait
    _delete_objects(
        box.api, [POD, *testbed.group_resources()], [*namespaces, *([testbed.markers] if may_wait else ())], patience
    )
    box.nodes.remove_all()  # after the pods: a cluster without nodes is a case of its own for a scheduler
    _see_gone(lambda: _nodes(box), patience)
    testbed.follow_nodes()
    for namespace in namespaces:
        box.api.delete(NAMESPACE, "", namespace)
    testbed.namespaces = []
    if testbed.needs_probe:
        testbed.needs_probe = False
        _probe(testbed)


def _run_all_processes(box: Box) -> None:
    for process in box.processes.values():
        if process.paused:
            process.resume()
        if not process.alive:
            process.restart()


def _probe(testbed: Testbed) -> None:
    """Prove that the scheduler still works; one that hangs after a case is restarted, for the next one's sake."""
    try:
        run_canary(testbed, "bound")
    except HarnessError:
        _restart_integration(testbed)
        reset(testbed)
        with contextlib.suppress(HarnessError):  # if it still hangs, the next case will show it with evidence
            run_canary(testbed)


def _restart_integration(testbed: Testbed) -> None:
    for name in {*testbed.installed.schedulers, *testbed.installed.controllers}:
        testbed.box.processes[name].restart()


# -- objects that have to go ------------------------------------------------------------------------------------------


def _delete_objects(api: Api, kinds: Sequence[Kind], namespaces: Sequence[str], patience: float) -> None:
    with ThreadPoolExecutor(4) as workers:
        list(workers.map(lambda namespace: _empty(api, kinds, namespace), namespaces))
    _see_gone(lambda: _names(api, kinds, namespaces), patience, lambda: _force(api, kinds, namespaces))


def _empty(api: Api, kinds: Sequence[Kind], namespace: str) -> None:
    for kind in kinds:
        api.delete_all(kind, namespace, grace=0)


def _force(api: Api, kinds: Sequence[Kind], namespaces: Sequence[str]) -> None:
    """Delete once more what controllers made again meanwhile, and take away finalizers that are not removed: a program
    that leaves objects behind was judged for it already."""
    for namespace in namespaces:
        _empty(api, kinds, namespace)
    for kind in kinds:
        for namespace in namespaces:
            for obj in api.list(kind, namespace):
                if obj["metadata"].get("finalizers"):
                    change = {"metadata": {"finalizers": None}}
                    with contextlib.suppress(ApiError):  # it may go by itself this very moment
                        api.patch(kind, namespace, obj["metadata"]["name"], change)


def _see_gone(remaining: Callable[[], list[str]], patience: float, force: Callable[[], None] = lambda: None) -> None:
    """Return once nothing remains; what is still there after half of the time is forced."""
    began = time.monotonic()
    names: list[str] = []

    def is_empty() -> bool:
        names[:] = remaining()
        if names and time.monotonic() - began > patience / 2:
            force()
        return not names

    def failure() -> HarnessError:
        there = ", ".join(names[:8])
        return HarnessError(f"the box could not be emptied after the last case; still there: {there}")

    until(is_empty, patience, "the box is empty", poll=POLL, failure=failure)


def _names(api: Api, kinds: Sequence[Kind], namespaces: Sequence[str]) -> list[str]:
    """What is left of these kinds."""
    left = [(kind, obj["metadata"]["name"]) for kind in kinds for space in namespaces for obj in api.list(kind, space)]
    return [f"{kind.kind} {name}" for kind, name in left if name != ROOT_CA]


def _nodes(box: Box) -> list[str]:
    """What is left of the nodes of cases."""
    return [f"Node {obj['metadata']['name']}" for obj in box.api.list(NODE, labelSelector=box.nodes.selector)]
