"""Thousands of gangs that differ by their names, rendered once.

A template and a YAML parser take milliseconds for each gang, which is more than the API server takes for it. So a gang
of each kind is rendered once, and its name is replaced in the encoded objects. The last gang of each kind is rendered
in full and compared: a template that does something else with a name is noticed, and rendered gang by gang.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.adapters.common.render import gang_objects, single_pod
from harness.box.api import Object
from harness.box.bulk import Batch, encoded
from harness.cases.context import Context
from harness.core.gang import GPU, Gang
from harness.core.gang_api import GangApi

BASIC: Object = {"basic": {}}


class Stencil:
    """Makes the requests that create gangs and pods of one case."""

    def __init__(self, context: Context, *, is_basic: bool = False) -> None:
        self._context = context
        self._is_basic = is_basic

    def gangs(self, gangs: Sequence[Gang]) -> Iterator[Batch]:
        """The requests of each gang, in order."""
        kinds: dict[str, list[Gang]] = {}
        for gang in gangs:
            kinds.setdefault(_kind(gang), []).append(gang)
        prints = {kind: self._print(members) for kind, members in kinds.items()}
        for gang in gangs:
            first, copy, is_exact = prints[_kind(gang)]
            if not is_exact:
                yield self._requests(gang)
            else:
                old, new = first.name.encode(), gang.name.encode()
                yield [(path, body.replace(old, new)) for path, body in copy]

    def pods(self, names: Sequence[str], gpus: int = 0, priority: str = "", *, gated: bool = False) -> Iterator[Batch]:
        """The request of each pod of no gang."""
        if not names:
            return
        context = self._context
        request = {"cpu": "100m", "memory": "64Mi", **({GPU: str(gpus)} if gpus else {})}
        pod = single_pod(
            context.testbed.adapter, context.namespace, names[0], part="plain", request=request, priority=priority
        )
        if gated:
            pod["spec"]["schedulingGates"] = [{"name": "muster.dev/gate"}]
        path, body = encoded(context.api, pod)
        for name in names:
            yield [(path, body.replace(names[0].encode(), name.encode()))]

    def _print(self, gangs: Sequence[Gang]) -> tuple[Gang, Batch, bool]:
        first, last = gangs[0], gangs[-1]
        copy = self._requests(first)
        replaced = [(path, body.replace(first.name.encode(), last.name.encode())) for path, body in copy]
        return (
            first,
            copy,
            [json.loads(body) for _, body in replaced] == [json.loads(body) for _, body in self._requests(last)],
        )

    def _requests(self, gang: Gang) -> Batch:
        testbed = self._context.testbed
        objects = gang_objects(testbed.adapter, gang, self._context.namespace, testbed.box.kubernetes)
        if self._is_basic:
            for obj in objects:
                _without_quorum(testbed.box.minor.gang_api, obj)
        testbed.adapter.finish(objects)
        return [encoded(self._context.api, obj) for obj in objects]


def _kind(gang: Gang) -> str:
    """Equal for gangs that differ by their names alone."""
    return repr(replace(gang, name=""))


def _without_quorum(api: GangApi, obj: Object) -> None:
    """Give a native group, or every group of a Workload, the basic policy."""
    if obj["apiVersion"] == api.version:
        for group in obj["spec"].get(api.groups_field) or [obj["spec"]]:
            group[api.policy_field] = BASIC
