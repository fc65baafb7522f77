"""`world.storage`: volumes, and the claims by which pods use them.

A local volume is made by hand and is on one node. Its class says that it is chosen together with the node
(WaitForFirstConsumer), so choosing it is the scheduler's part, and binding it that of Kubernetes' own controller. A
volume of the network can be used on every node and is bound before any pod asks for it.
"""

from __future__ import annotations

from harness.box.api import Object
from harness.cases import claims
from harness.cases.context import Alter, Context
from harness.cases.demands import HOSTNAME
from harness.core.history.allocations import volume_claim_state
from harness.core.kinds import PERSISTENT_VOLUME_CLAIM
from harness.core.verdict import Verdict

SIZE = "1Gi"
ONCE = "ReadWriteOnce"
ONE_POD = "ReadWriteOncePod"


class Storage:
    """Volumes and claims of one case."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._class = ""

    def local_volumes(self, *nodes: str) -> None:
        """One volume on each of these nodes."""
        context = self._context
        for node in nodes:
            terms = [{"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": [node]}]}]
            spec = {
                "capacity": {"storage": SIZE},
                "accessModes": [ONCE],
                "persistentVolumeReclaimPolicy": "Retain",
                "storageClassName": self._storage_class(),
                "local": {"path": "/mnt/disk"},
                "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
            }
            meta = {"generateName": f"{node}-"}
            context.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta, "spec": spec})

    def claim(self, name: str) -> None:
        """A claim of one local volume; it is chosen with the node of the first pod that uses it."""
        self._claim(name, ONCE, storageClassName=self._storage_class())

    def network_claim(self, name: str, *, mode: str = ONCE) -> Verdict:
        """A claim that is bound to a volume of the network; holds once it is."""
        volume = f"{name}-{self._context.namespace}"
        spec = {
            "capacity": {"storage": SIZE},
            "accessModes": [mode],
            "persistentVolumeReclaimPolicy": "Retain",
            "nfs": {"server": "nowhere.example.com", "path": "/"},
        }
        meta = {"name": volume}
        self._context.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta, "spec": spec})
        self._claim(name, mode, storageClassName="", volumeName=volume)
        return claims.sees(self._context, f"the claim {name} has its volume", self.bound, includes=[name])

    def _claim(self, name: str, mode: str, **spec: str) -> None:
        meta = {"name": name, "namespace": self._context.namespace}
        amount = {"accessModes": [mode], "resources": {"requests": {"storage": SIZE}}}
        obj = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": {**amount, **spec}}
        self._context.create(obj)

    @staticmethod
    def using_own(pod: Object) -> None:
        """To be given as `alter`: every pod uses the claim of its own name."""
        _use(pod, pod["metadata"]["name"])

    @staticmethod
    def using(claim: str) -> Alter:
        """A change that lets every pod use the same claim."""

        def alter(pod: Object) -> None:
            _use(pod, claim)

        return alter

    def bound(self) -> list[str]:
        """The claims of the case that have a volume."""
        claims = self._context.api.list(PERSISTENT_VOLUME_CLAIM, self._context.namespace)
        return sorted(claim["metadata"]["name"] for claim in claims if volume_claim_state(claim).get("volume"))

    def _storage_class(self) -> str:
        if not self._class:
            self._class = f"local-{self._context.namespace}"
            about = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": self._class}}
            mode = {"provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}
            self._context.create({**about, **mode})
        return self._class


def _use(pod: Object, claim: str) -> None:
    pod["spec"].setdefault("volumes", []).append({"name": "disk", "persistentVolumeClaim": {"claimName": claim}})
    mount = {"name": "disk", "mountPath": "/disk"}
    pod["spec"]["containers"][0].setdefault("volumeMounts", []).append(mount)
