"""`world.devices`: devices that nodes publish, and the claims by which pods ask for them (dynamic resource allocation).

A driver publishes the devices of a node in a ResourceSlice. muster is the driver here: it publishes devices for fake
nodes, in a class of their own for each case, and nothing has to be prepared before a pod runs.
"""

from __future__ import annotations

from harness.box.api import Object
from harness.cases.context import Alter, Context
from harness.core.history.allocations import resource_claim_state
from harness.core.kinds import RESOURCE_CLAIM

API = "resource.k8s.io/v1"
REQUEST = "device"  # the name of the one request in a claim, and of the claim in a pod


class Devices:
    """Devices and claims of one case."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._driver = ""

    def publish(self, count: int, *nodes: str) -> None:
        """So many devices on each of these nodes."""
        driver = self._class()
        for node in nodes:
            spec = {
                "driver": driver,
                "nodeName": node,
                "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": f"device-{number}"} for number in range(count)],
            }
            meta = {"name": f"{node}-{self._context.namespace}"}
            self._context.create({"apiVersion": API, "kind": "ResourceSlice", "metadata": meta, "spec": spec})

    def claim_for_each(self, count: int = 1) -> Alter:
        """A change that gives every pod a claim of its own, of so many devices."""
        name, namespace = f"{REQUEST}-{count}", self._context.namespace
        meta, spec = {"name": name, "namespace": namespace}, {"spec": self._claim(count)}
        self._context.create({"apiVersion": API, "kind": "ResourceClaimTemplate", "metadata": meta, "spec": spec})
        return _using({"name": REQUEST, "resourceClaimTemplateName": name})

    def shared_claim(self, name: str, count: int = 1) -> Alter:
        """A change that lets all pods use one claim of so many devices."""
        meta = {"name": name, "namespace": self._context.namespace}
        spec = self._claim(count)
        self._context.create({"apiVersion": API, "kind": "ResourceClaim", "metadata": meta, "spec": spec})
        return _using({"name": REQUEST, "resourceClaimName": name})

    def allocated(self) -> list[str]:
        """The devices that claims of the case have, one entry for each time that a device is given."""
        claims = self._context.api.list(RESOURCE_CLAIM, self._context.namespace)
        return sorted(device for claim in claims for device in resource_claim_state(claim).get("devices", ()))

    def _claim(self, count: int) -> Object:
        request = {"name": REQUEST, "exactly": {"deviceClassName": self._class(), "count": count}}
        return {"devices": {"requests": [request]}}

    def _class(self) -> str:
        """The class of the case's devices, which is called like their driver."""
        if not self._driver:
            self._driver = f"{self._context.namespace}.muster.dev"
            selector = {"cel": {"expression": f'device.driver == "{self._driver}"'}}
            meta, spec = {"name": self._driver}, {"selectors": [selector]}
            self._context.create({"apiVersion": API, "kind": "DeviceClass", "metadata": meta, "spec": spec})
        return self._driver


def _using(entry: Object) -> Alter:
    def alter(pod: Object) -> None:
        pod["spec"]["resourceClaims"] = [dict(entry)]
        pod["spec"]["containers"][0]["resources"]["claims"] = [{"name": REQUEST}]

    return alter
