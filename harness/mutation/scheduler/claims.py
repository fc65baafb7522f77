"""Volumes and devices as the reference scheduler gives them to the claims of pods.

Volumes are those that somebody has made by hand (local volumes), devices those that are published in ResourceSlices. A
class of devices is told by the driver that its selector names: more of its language no case needs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from harness.box.api import PATCH_MERGE, Api, Object
from harness.core.history.allocations import EXCLUSIVE, claims_of_pod, volume_claim_state, volume_state
from harness.core.kinds import PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, RESOURCE_CLAIM, Kind
from harness.core.oracle.matching import admits
from harness.core.quantity import millis
from harness.core.waiting import until

STORAGE_CLASS = Kind("storage.k8s.io/v1", "StorageClass", "storageclasses", namespaced=False)
DEVICE_CLASS = Kind("resource.k8s.io/v1", "DeviceClass", "deviceclasses", namespaced=False)
RESOURCE_SLICE = Kind("resource.k8s.io/v1", "ResourceSlice", "resourceslices", namespaced=False)
DRIVER = re.compile(r'device\.driver == "([^"]+)"')
BOUND_WITHIN = 5.0  # seconds in which the controller of volumes binds a claim to the volume that was chosen

Labels = dict[str, str]
Device = tuple[str, str, str]  # driver, pool, name


@dataclass
class Claims:
    """What is claimed, what there is, and what has been given away since."""

    volume_claims: dict[str, Object] = field(default_factory=dict)  # by namespace/name
    volumes: dict[str, Object] = field(default_factory=dict)
    device_claims: dict[str, Object] = field(default_factory=dict)
    devices: dict[str, list[Device]] = field(default_factory=dict)  # by node
    drivers: dict[str, str] = field(default_factory=dict)  # class of devices -> driver
    waiting: frozenset[str] = frozenset()  # classes whose volumes are chosen together with the node
    users: Counter[str] = field(default_factory=Counter)  # volume claim -> pods on nodes that use it
    chosen_volumes: dict[str, str] = field(default_factory=dict)  # claim -> volume
    chosen_devices: dict[str, tuple[str, list[Device]]] = field(default_factory=dict)  # claim -> node and devices

    def copy(self) -> Claims:
        return replace(
            self,
            users=Counter(self.users),
            chosen_volumes=dict(self.chosen_volumes),
            chosen_devices=dict(self.chosen_devices),
        )

    def take(self, pod: Object, node: str, labels: Labels, sign: int) -> None:
        """Give the pod on that node what it claims, or (sign > 0) count it no longer."""
        if not pod["spec"].get("volumes") and not pod["spec"].get("resourceClaims"):
            return
        for key in _keys(pod, claims_of_pod(pod)[0]):
            self.users[key] -= sign
        if sign < 0:
            self.chosen_volumes.update(self.volumes_for(pod, node, labels) or {})
            for key, devices in (self.devices_for(pod, node, labels) or {}).items():
                self.chosen_devices[key] = (node, devices)

    def volumes_for(self, pod: Object, node: str, labels: Labels) -> dict[str, str] | None:
        """A volume for each claim of the pod that has none yet; None if it cannot have all of them on this node."""
        choice: dict[str, str] = {}
        for key in _keys(pod, claims_of_pod(pod)[0]):
            claim = self.volume_claims.get(key)
            if claim is None:
                return None
            volume = volume_claim_state(claim).get("volume") or self.chosen_volumes.get(key)
            if volume is None:
                volume = next(self._volumes_left(key, claim, choice, node, labels), None)
                if volume is None:
                    return None
                choice[key] = volume
            elif not admits(volume_state(self.volumes.get(volume, {})), node, labels):
                return None
        return choice

    def _volumes_left(
        self, key: str, claim: Object, choice: dict[str, str], node: str, labels: Labels
    ) -> Iterator[str]:
        spec = claim["spec"]
        if spec.get("storageClassName") not in self.waiting:
            return
        for name, volume in sorted(self.volumes.items()):
            offer, state = volume["spec"], volume_state(volume)
            if name in {*self.chosen_volumes.values(), *choice.values()} or state.get("claim", key) != key:
                continue
            large = millis(offer["capacity"])["storage"] >= millis(spec["resources"]["requests"])["storage"]
            alike = offer.get("storageClassName") == spec.get("storageClassName")
            shared = set(spec["accessModes"]) <= set(offer["accessModes"])
            if alike and large and shared and admits(state, node, labels):
                yield name

    def is_only_user(self, pod: Object) -> bool:
        """Whether nobody else is on a node with a volume that is for one pod."""
        return not any(self.users[key] for key in self.exclusive(pod))

    def exclusive(self, pod: Object) -> list[str]:
        """The claims of the pod whose volumes are for one pod."""
        keys = _keys(pod, claims_of_pod(pod)[0])
        return [key for key in keys if _is_exclusive(self.volume_claims.get(key))]

    def devices_for(self, pod: Object, node: str, labels: Labels) -> dict[str, list[Device]] | None:
        """Devices for each claim of the pod that has none yet; None if it cannot have all of them on this node."""
        choice: dict[str, list[Device]] = {}
        for key in _keys(pod, claims_of_pod(pod)[1]):
            claim = self.device_claims.get(key)
            if claim is None:
                return None
            allocation = (claim.get("status") or {}).get("allocation")
            if allocation is not None:
                if not admits({"nodes": (allocation.get("nodeSelector") or {}).get("nodeSelectorTerms")}, node, labels):
                    return None
            elif key in self.chosen_devices:
                if self.chosen_devices[key][0] != node:
                    return None
            else:
                devices = self._devices_left(claim, node, choice.values())
                if devices is None:
                    return None
                choice[key] = devices
        return choice

    def _devices_left(self, claim: Object, node: str, taken: Iterable[list[Device]]) -> list[Device] | None:
        used = {device for devices in taken for device in devices}
        used |= {device for _, devices in self.chosen_devices.values() for device in devices}
        used |= {device for other in self.device_claims.values() for device in _allocated(other)}
        devices: list[Device] = []
        for request in claim["spec"]["devices"]["requests"]:
            exactly = request["exactly"]
            driver = self.drivers.get(exactly["deviceClassName"])
            left = [device for device in self.devices.get(node, ()) if device[0] == driver and device not in used]
            count = int(exactly.get("count") or 1)
            if len(left) < count:
                return None
            devices += left[:count]
            used.update(left[:count])
        return devices

    # -- what the API server sees -------------------------------------------------------------------------------------

    def give(self, api: Api, pod: Object) -> None:
        """Write down what was chosen for the pod, and wait until its volumes are bound."""
        volumes, devices = claims_of_pod(pod)
        for key in _keys(pod, volumes):
            if key in self.chosen_volumes and not volume_claim_state(self.volume_claims[key]).get("volume"):
                _bind_volume(api, self.volume_claims[key], self.chosen_volumes[key])
        for key in _keys(pod, devices):
            if key in self.device_claims:
                _reserve(api, key, pod, self.chosen_devices.get(key))


def read_claims(api: Api, pods: Iterable[Object]) -> Claims:
    """What there is of volumes and devices, if one of these pods asks for any."""
    pods = list(pods)
    claims = Claims()
    if any(claims_of_pod(pod)[0] for pod in pods):
        classes = api.list(STORAGE_CLASS)
        claims.waiting = frozenset(
            entry["metadata"]["name"] for entry in classes if entry.get("volumeBindingMode") == "WaitForFirstConsumer"
        )
        claims.volumes = {volume["metadata"]["name"]: volume for volume in api.list(PERSISTENT_VOLUME)}
        claims.volume_claims = {_key(claim): claim for claim in api.list(PERSISTENT_VOLUME_CLAIM)}
    if any(claims_of_pod(pod)[1] for pod in pods):
        claims.device_claims = {_key(claim): claim for claim in api.list(RESOURCE_CLAIM)}
        claims.drivers = {entry["metadata"]["name"]: _driver(entry) for entry in api.list(DEVICE_CLASS)}
        for part in api.list(RESOURCE_SLICE):
            spec = part["spec"]
            devices = [(spec["driver"], spec["pool"]["name"], device["name"]) for device in spec.get("devices") or ()]
            claims.devices.setdefault(spec.get("nodeName", ""), []).extend(devices)
    return claims


def _bind_volume(api: Api, claim: Object, volume: str) -> None:
    meta = claim["metadata"]
    reference = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        **{part: meta[part] for part in ("namespace", "name", "uid")},
    }
    api.patch(PERSISTENT_VOLUME, "", volume, {"spec": {"claimRef": reference}}, content_type=PATCH_MERGE)

    def is_bound() -> bool:
        latest = api.find(PERSISTENT_VOLUME_CLAIM, meta["namespace"], meta["name"])
        return bool(latest and volume_claim_state(latest).get("volume"))

    until(is_bound, BOUND_WITHIN, f"{meta['name']} is bound to {volume}", poll=0.02)


def _reserve(api: Api, key: str, pod: Object, choice: tuple[str, list[Device]] | None) -> None:
    """Let the pod use the devices of its claim, and allocate them if that was not done before."""
    namespace, _, name = key.partition("/")
    claim = api.find(RESOURCE_CLAIM, namespace, name)
    if claim is None:
        return
    status = claim.get("status") or {}
    if "allocation" not in status and choice is not None:
        status["allocation"] = _allocation(claim, *choice)
    meta = pod["metadata"]
    user = {"resource": "pods", "name": meta["name"], "uid": meta["uid"]}
    if "allocation" in status and user not in (status.get("reservedFor") or ()):
        status["reservedFor"] = [*(status.get("reservedFor") or ()), user]
        api.request("PUT", f"{RESOURCE_CLAIM.path(namespace, name)}/status", {**claim, "status": status})


def _allocation(claim: Object, node: str, devices: list[Device]) -> Object:
    left, results = list(devices), []
    for request in claim["spec"]["devices"]["requests"]:
        for _ in range(int(request["exactly"].get("count") or 1)):
            driver, pool, device = left.pop(0)
            results.append({"request": request["name"], "driver": driver, "pool": pool, "device": device})
    here = {"key": "metadata.name", "operator": "In", "values": [node]}
    return {"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [here]}]}}


def _allocated(claim: Object) -> list[Device]:
    allocation = (claim.get("status") or {}).get("allocation") or {}
    results = (allocation.get("devices") or {}).get("results") or ()
    return [(result["driver"], result["pool"], result["device"]) for result in results]


def _driver(entry: Object) -> str:
    texts = " ".join(part["cel"]["expression"] for part in entry["spec"].get("selectors") or () if "cel" in part)
    match = DRIVER.search(texts)
    return match[1] if match else ""


def _is_exclusive(claim: Object | None) -> bool:
    return claim is not None and EXCLUSIVE in (claim["spec"].get("accessModes") or ())


def _keys(pod: Object, names: Iterable[str]) -> list[str]:
    return [f"{pod['metadata']['namespace']}/{name}" for name in names]


def _key(claim: Object) -> str:
    return f"{claim['metadata']['namespace']}/{claim['metadata']['name']}"
