"""PriorityClasses that all cases of a testbed share, by their value.

A pod that names a class which the API server's own watch has not delivered yet is refused, and a scheduler that has not
seen the class gives the gang no priority. Both would be blamed on the scheduler under test. So a class is made once, is
in force before the first case uses it, and stays until the box ends: no later case can be early or late.
"""

from __future__ import annotations

import secrets

from harness.adapters.common.render import single_pod
from harness.core.errors import ApiError
from harness.core.kinds import POD
from harness.core.waiting import until
from harness.testbed.marker import see_nodes
from harness.testbed.testbed import Testbed


def priority_class(testbed: Testbed, namespace: str, value: int, *, preempts: bool) -> str:
    """The name of the class of this value and policy, which is in force."""
    key = (value, preempts)
    if key not in testbed.priorities:
        name = f"priority-{value}-{secrets.token_hex(4)}"
        testbed.box.api.create(
            {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {"name": name},
                "value": value,
                "preemptionPolicy": "PreemptLowerPriority" if preempts else "Never",
            }
        )
        until(
            lambda: _is_admitted(testbed, namespace, name), testbed.deadlines["bound"], f"PriorityClass {name} is known"
        )
        see_nodes(testbed)  # a scheduler that has come that far has had the time to see the class, too
        testbed.priorities[key] = name
    return testbed.priorities[key]


def _is_admitted(testbed: Testbed, namespace: str, name: str) -> bool:
    """Whether the API server would take a pod of this class."""
    pod = single_pod(testbed.adapter, namespace, "dry-run", part="plain", request={"cpu": "1m"}, priority=name)
    try:
        testbed.box.api.request("POST", POD.path(namespace), pod, params={"dryRun": "All"})
    except ApiError as error:
        if error.status == 403:
            return False
        raise
    return True
