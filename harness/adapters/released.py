"""A released controller that serves webhooks, as JobSet and LeaderWorkerSet have one: in a box and in a cluster.

Both are made with the same kit and take their settings from a file. In a box the controller is a process and its
webhooks are called by URL. In a cluster it is a Deployment that has the release's own roles, and they are called by
service; names and namespace are those that the release's kustomization gives.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from harness.adapters import hosting
from harness.adapters.base import Box, Departure, Object, Site
from harness.box.artifacts import Artifact
from harness.box.pki import write_private

IN_CLUSTER = (
    Departure("certificates of the cluster's authority, no internal certificate management",
              "a kubelet shows a Secret that is written after the start up to a minute late"),
    Departure("one replica without leader election", "who was killed would wait for its own lease to end"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Release:
    """What tells one such controller from another."""

    name: str  # of its component; its kustomization begins every name with it
    label: str  # on the pods of its sets, the only ones that its webhooks are asked about

    @property
    def namespace(self) -> str:
        return f"{self.name}-system"

    @property
    def service(self) -> str:
        return f"{self.name}-webhook-service"

    def configuration(self, port: int, health: int, certificates: str | Path, address: str = "127.0.0.1") -> Object:
        """The controller's configuration file."""
        return {
            "apiVersion": f"config.{self.name}.x-k8s.io/v1alpha1", "kind": "Configuration",
            "internalCertManagement": {"enable": False},
            "leaderElection": {"leaderElect": False},
            "metrics": {"bindAddress": "0"},
            "health": {"healthProbeBindAddress": f"{address}:{health}"},
            "webhook": {"host": address, "port": port, "certDir": str(certificates)},
        }  # fmt: skip

    def configuration_inside(self) -> Object:
        """The same where the controller is a pod."""
        return self.configuration(hosting.PORTS["webhook"], hosting.PORTS["health"], hosting.CERTIFICATES, "0.0.0.0")

    def webhooks(self, found: Artifact, *, authority: bytes, url: str = "") -> list[Object]:
        """The release's webhook configurations, by URL if one is given, else by service; about pods of sets only."""
        bundle = base64.b64encode(authority).decode()
        objects = list(yaml.safe_load_all(hosting.pick(found.files["webhooks"], "manifests.yaml").read_text("utf-8")))
        for obj in objects:
            obj["metadata"]["name"] = f"{self.name}-{obj['metadata']['name']}"
            for hook in obj["webhooks"]:
                path = hook["clientConfig"]["service"]["path"]
                service = {"name": self.service, "namespace": self.namespace, "path": path}
                hook["clientConfig"] = {"caBundle": bundle, **({"url": url + path} if url else {"service": service})}
                if any("pods" in rule["resources"] for rule in hook["rules"]):
                    hook["objectSelector"] = {"matchExpressions": [{"key": self.label, "operator": "Exists"}]}
        return objects

    def in_cluster(self, site: Site, files: Mapping[str, Object], *, more: Sequence[Object] = ()) -> list[Object]:
        """What runs the controller with the first of these files; `more` is what it may do besides its own role."""
        texts = {name: yaml.safe_dump(content, sort_keys=False) for name, content in files.items()}
        config = f"--config={hosting.FILES}/{next(iter(files))}"
        objects = hosting.controller_in_cluster(
            f"{self.name}-controller-manager", self.namespace, site.images["controller"], authority=site.authority,
            service=self.service, arguments=[config, "--zap-log-level=2"], files=texts,
        )  # fmt: skip
        hooks = self.webhooks(site.found, authority=site.authority.certificate)
        return [hosting.namespace(self.namespace), *self.rights(site.found, more), *objects, *hooks]

    def rights(self, found: Artifact, more: Sequence[Object] = ()) -> list[Object]:
        """The release's service account, its role, and who has it, named and placed as its kustomization does it."""
        objects = [yaml.safe_load(path.read_text("utf-8")) for path in found.files["rbac"]]
        for obj in objects:
            named = [obj["metadata"], *([obj["roleRef"]] if "roleRef" in obj else ()), *obj.get("subjects", ())]
            for one in named:
                one["name"] = f"{self.name}-{one['name']}"
                if "namespace" in one:
                    one["namespace"] = self.namespace
            if obj["kind"] == "ClusterRole":
                obj["rules"] += more
            obj["metadata"].pop("labels", None)
        return objects


def certificates(box: Box, name: str) -> Path:
    """A folder with certificate and key under the names that such a controller looks for."""
    pair = box.authority.issue(name)
    folder = box.directory / "pki" / name
    folder.mkdir(mode=0o700, exist_ok=True)
    write_private(folder / "tls.crt", pair.certificate)
    write_private(folder / "tls.key", pair.key)
    return folder
