"""A marker: the proof that the scheduler under test has seen every change of nodes that was made before.

A scheduler learns of nodes and of pods by two watches, and on a busy machine that of the nodes lags some hundred
milliseconds behind. A correct scheduler then binds the first gang of a case to nodes of the case before. The watch of
nodes is ordered: who binds a pod to a node that was created after a change has seen the change. So each case begins
with a marker, and each change of nodes that a promise depends on ends with one.

A marker disturbs no other pod. Its node has room for its pod alone, a taint that no other pod tolerates, no GPU, no
hostname by which pods are spread, and a name that is never used twice; so it is as harmless when the scheduler still
believes in it after its removal. Its pod is in a namespace of its own, and so are the objects that a scheduler makes
for it. Where nodes are borrowed and cannot be made, a new label on one of them serves as well: the watch tells of both
in order.
"""

from __future__ import annotations

import secrets

from harness.adapters.common.render import single_pod
from harness.box.nodes import MARKER_LABEL as LABEL
from harness.box.nodes import Pool, Taint
from harness.core.history.records import MARKER
from harness.core.kinds import POD
from harness.testbed.testbed import Testbed

CPU, MEMORY = "1m", "1Mi"  # what its pod asks for, and all that its node has


def marker_pool(name: str) -> Pool:
    """The node of the marker of this name."""
    return Pool(1, 0, name, CPU, MEMORY, pods=1, labels={LABEL: name}, taints=[Taint(LABEL)], is_domain=False)


def see_nodes(testbed: Testbed) -> bool:
    """Whether the scheduler has bound a marker by the deadline; it cannot while it is away."""
    if not _is_running(testbed):
        return False
    name, node = place_marker(testbed)
    recorder, namespace = testbed.recorder, testbed.marker_namespace()
    is_seen = recorder.wait(lambda: recorder.timeline.was_bound(namespace, name), testbed.deadlines["bound"])
    testbed.box.api.delete(POD, namespace, name, grace=0)
    testbed.box.nodes.remove_marker(node)
    return is_seen


def see_nodes_soon(testbed: Testbed) -> bool:
    """The same for the beginning of a case, where a scheduler that works in cycles is not waited for.

    It would cost a cycle in every case. Such a scheduler decides from one look at everything: the look that has the
    marker's node has the nodes that are gone, too, and a bind before it is reported as a bind to a removed node.
    """
    if not testbed.adapter.works_in_cycles:
        return see_nodes(testbed)
    if _is_running(testbed):
        place_marker(testbed)
    return True


def place_marker(testbed: Testbed) -> tuple[str, str]:
    """Create a marker; the names of its pod and its node, which go with the case."""
    namespace = testbed.marker_namespace()
    name = f"marker-{secrets.token_hex(4)}"
    pod = single_pod(testbed.adapter, namespace, name, part=MARKER, request={"cpu": CPU, "memory": MEMORY})
    pod["spec"] |= {"nodeSelector": {LABEL: name}, "tolerations": [{"key": LABEL, "operator": "Exists"}]}
    of_case = set(testbed.box.nodes.names)
    node = testbed.box.nodes.add_marker(marker_pool(name))
    testbed.recorder.act(MARKER, name, namespace, node="" if node in of_case else node)
    testbed.box.api.request("POST", POD.path(namespace), pod)
    return name, node


def _is_running(testbed: Testbed) -> bool:
    schedulers = [testbed.box.processes[name] for name in testbed.installed.schedulers]
    return all(process.alive and not process.paused for process in schedulers)
