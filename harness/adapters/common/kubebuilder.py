"""A vendor's controller that was made with kubebuilder, such as JobSet's: in a box, and in a cluster.

Such controllers take their settings from a file and serve webhooks. In a box the controller is a process and its
webhooks are called by URL. In a cluster it is a Deployment that has the vendor's own roles, and they are called by
service; names and namespace are those that the vendor's kustomization gives.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from harness.adapters.common import hosting
from harness.adapters.common.base import Departure, InstallContext, Object
from harness.box.artifacts import Artifact
from harness.box.base import Box
from harness.core.files import write_private

DEPARTURES = (
    hosting.OUTSIDE,
    Departure("admission webhooks are reached by URL on 127.0.0.1", "the controller is a process of this machine"),
    Departure("certificates of the box, no internal certificate management", "that needs a Secret mounted in a pod"),
)
IN_CLUSTER = (
    Departure(
        "certificates of the cluster's authority, no internal certificate management",
        "a kubelet shows a Secret that is written after the start up to a minute late",
    ),
    Departure("one replica without leader election", "a killed controller would wait for its own lease to end"),
)


@dataclass(frozen=True, slots=True)
class Manager:
    """One such controller, which kubebuilder calls a manager: what tells it from another."""

    name: str  # of its component; its kustomization begins every name with it
    label: str = ""  # on the pods of its sets, the only ones that its webhooks are asked about; empty: as shipped

    @property
    def controller(self) -> str:
        """Its name among the processes of a box."""
        return f"{self.name}-controller"

    @property
    def namespace(self) -> str:
        return f"{self.name}-system"

    @property
    def service(self) -> str:
        return f"{self.name}-webhook-service"

    def configuration(self, port: int, health: int, certificates: str | Path, address: str = "127.0.0.1") -> Object:
        """The controller's configuration file."""
        return {
            "apiVersion": f"config.{self.name}.x-k8s.io/v1alpha1",
            "kind": "Configuration",
            "internalCertManagement": {"enable": False},
            "leaderElection": {"leaderElect": False},
            "metrics": {"bindAddress": "0"},
            "health": {"healthProbeBindAddress": f"{address}:{health}"},
            "webhook": {"host": address, "port": port, "certDir": str(certificates)},
        }

    def webhooks(self, artifact: Artifact, *, authority: bytes, url: str = "") -> list[Object]:
        """The release's webhook configurations, by URL if one is given, else by service; about pods of its sets."""
        bundle = base64.b64encode(authority).decode()
        objects = list(
            yaml.safe_load_all(hosting.pick(artifact.files["webhooks"], "manifests.yaml").read_text("utf-8"))
        )
        for obj in objects:
            obj["metadata"]["name"] = f"{self.name}-{obj['metadata']['name']}"
            for hook in obj["webhooks"]:
                path = hook["clientConfig"]["service"]["path"]
                service = {"name": self.service, "namespace": self.namespace, "path": path}
                hook["clientConfig"] = {"caBundle": bundle, **({"url": url + path} if url else {"service": service})}
                if self.label and any("pods" in rule["resources"] for rule in hook["rules"]):
                    hook["objectSelector"] = {"matchExpressions": [{"key": self.label, "operator": "Exists"}]}
        return objects

    def start(self, box: Box, artifact: Artifact, files: Mapping[str, Object]) -> None:
        """Start the controller with the first of these files unless it runs; its webhooks are called once it is ready.

        The files are by name what is added to the usual configuration.
        """
        if not hosting.runs(box, self.controller):
            port, health = box.reserve_port(), box.reserve_port()
            usual = self.configuration(port, health, certificates(box, self.controller))
            paths = [hosting.write_yaml(box.directory / name, {**usual, **more}) for name, more in files.items()]
            flags = [f"--kubeconfig={box.identity(self.controller)}", f"--config={paths[0]}"]
            listens, answers = hosting.tcp_probe(port), hosting.http_probe(health, "/readyz")
            process = hosting.start(
                box,
                self.controller,
                artifact.binaries["controller"],
                flags,
                role="controller",
                probe=lambda: answers() and listens(),
            )
            process.wait_ready(hosting.START_TIMEOUT)
            for obj in self.webhooks(artifact, url=f"https://127.0.0.1:{port}", authority=box.authority.certificate):
                box.api.apply(obj)
        box.processes[self.controller].wait_ready(hosting.START_TIMEOUT)

    def in_cluster(
        self, context: InstallContext, files: Mapping[str, Object], *, rules: Sequence[Object] = ()
    ) -> list[Object]:
        """What runs the controller with the first of these files; `rules` is what it may do besides its own role."""
        ports = hosting.PORTS
        usual = self.configuration(ports["webhook"], ports["health"], hosting.CERTIFICATES, "0.0.0.0")
        texts = {name: yaml.safe_dump({**usual, **more}, sort_keys=False) for name, more in files.items()}
        config = f"--config={hosting.FILES}/{next(iter(files))}"
        objects = hosting.controller_in_cluster(
            f"{self.name}-controller-manager",
            self.namespace,
            context.images["controller"],
            authority=context.authority,
            service=self.service,
            arguments=[config, "--zap-log-level=2"],
            files=texts,
        )
        hooks = self.webhooks(context.artifact, authority=context.authority.certificate)
        return [hosting.namespace(self.namespace), *self.rights(context.artifact, rules), *objects, *hooks]

    def rights(self, artifact: Artifact, rules: Sequence[Object] = ()) -> list[Object]:
        """The release's service account, its role, and who has it, named and placed as its kustomization does it."""
        objects = [yaml.safe_load(path.read_text("utf-8")) for path in artifact.files["rbac"]]
        for obj in objects:
            references = [obj["metadata"], *([obj["roleRef"]] if "roleRef" in obj else ()), *obj.get("subjects", ())]
            for reference in references:
                reference["name"] = f"{self.name}-{reference['name']}"
                if "namespace" in reference:
                    reference["namespace"] = self.namespace
            if obj["kind"] == "ClusterRole":
                obj["rules"] = [self._named(rule) for rule in obj["rules"]] + list(rules)
            obj["metadata"].pop("labels", None)
        return objects

    def _named(self, rule: Object) -> Object:
        """A rule that is about webhook configurations by their names, which the kustomization changes."""
        if not any(resource.endswith("webhookconfigurations") for resource in rule.get("resources", ())):
            return rule
        names = [f"{self.name}-{name}" for name in rule.get("resourceNames", ())]
        return {**rule, **({"resourceNames": names} if names else {})}


def certificates(box: Box, name: str) -> Path:
    """A folder with certificate and key under the names that such a controller looks for."""
    pair = box.authority.issue(name)
    folder = box.directory / "pki" / name
    folder.mkdir(mode=0o700, exist_ok=True)
    write_private(folder / "tls.crt", pair.certificate)
    write_private(folder / "tls.key", pair.key)
    return folder
