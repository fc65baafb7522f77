"""The Kueue controller in a box and in a cluster, shared by every integration that stands on it.

The real release runs with its own configuration, all of its webhooks over TLS and the conversion of its older API. In a
box it is a process of this machine. It looks for a certificate of its metrics server in a folder of the host
(/etc/kueue/metrics/certs) unless it manages certificates itself, as it does by default; so it does here. What a kubelet
and a Service would do for that is done beforehand: its Secret is filled, with a certificate that is also good for
127.0.0.1, and its folder shows what the Secret has. Kueue finds both in order and keeps them.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path

import yaml

from harness.adapters.common import hosting, kubebuilder
from harness.adapters.common.base import Departure, InstallContext, Object, Part
from harness.box.artifacts import Artifact
from harness.box.base import Box
from harness.box.pki import Authority
from harness.core.errors import UsageError
from harness.core.files import write_private
from harness.core.kinds import CRD

MANAGER = kubebuilder.Manager("kueue")
CONTROLLER = MANAGER.controller
CONFIG = "kueue.yaml"
AUTHORITY, SECRET = "kueue-ca", "kueue-webhook-server-cert"  # names that Kueue looks for
SPARED = ("kube-system", MANAGER.namespace)  # namespaces that its kustomization keeps its job and pod webhooks out of
METRICS = "/etc/kueue/metrics/certs"  # where it looks for a certificate if it does not manage certificates
OPTIONS = {
    "wait-for-pods-ready": "on: evict a gang that does not run whole in time; off: never; the vendor's: after 30m",
    "pods-ready-timeout": "that time, such as 20s; the vendor's example has 5m",
    "recovery-timeout": "the same for a gang that has lost members, such as 20s; the vendor's example has 3m",
    "block-admission": "on: let no gang in while one that was let in is not ready; the vendor's: off",
    "requeue-backoff": "seconds that a gang which was not ready in time waits at first; the vendor's: 60",
}
EXAMPLE = {"pods-ready-timeout": "5m", "recovery-timeout": "3m"}  # as the comments of the vendor's configuration say
NO_VISIBILITY = Departure(
    "no visibility API (gate VisibilityOnDemand off)",
    "it only shows who waits, and writes its certificate into a folder of the host",
)
DEPARTURES = (
    hosting.OUTSIDE,
    Departure("webhooks and conversions are reached by URL on 127.0.0.1", "Kueue is a process of this machine"),
    Departure(
        "the Secret of its certificate is filled before it starts, for 127.0.0.1 too",
        "no kubelet mounts a Secret into a process; Kueue itself watches over the certificates from then on",
    ),
    Departure("no metrics endpoint, no leader election", "they are not used, and one Kueue runs per box"),
    NO_VISIBILITY,
)


def start(box: Box, artifact: Artifact, options: Mapping[str, str]) -> None:
    """Start Kueue unless it runs; its webhooks and conversions are called once it is ready."""
    if not hosting.runs(box, CONTROLLER):
        hosting.ensure_crds(box, artifact)
        hosting.ensure_namespace(box, MANAGER.namespace)
        port, health = box.reserve_port(), box.reserve_port()
        folder, authority = _certificates(box)
        url = f"https://127.0.0.1:{port}"
        convert(box, artifact, authority.certificate, url=url)
        hooks = webhooks(artifact, authority=authority.certificate, url=url)
        config = configuration(artifact, options, port=port, health=health, certificates=str(folder))
        path = hosting.write_yaml(box.directory / CONFIG, config)
        listens, answers = hosting.tcp_probe(port), hosting.http_probe(health, "/readyz")
        process = hosting.start(
            box,
            CONTROLLER,
            artifact.binaries["controller"],
            [f"--kubeconfig={box.identity(CONTROLLER)}", f"--config={path}", "--zap-log-level=2"],
            role="controller",
            probe=lambda: answers() and listens(),
        )
        process.wait_ready(hosting.START_TIMEOUT)
        for obj in hooks:
            box.api.apply(obj)
    box.processes[CONTROLLER].wait_ready(hosting.START_TIMEOUT)


def _certificates(box: Box) -> tuple[Path, Authority]:
    """Fill the Secret as Kueue would; the folder that shows it, and the authority that Kueue takes over from us."""
    authority = Authority.create(AUTHORITY, with_rsa=True)
    pair = authority.issue(CONTROLLER, names=(f"{MANAGER.service}.{MANAGER.namespace}.svc",))
    content = {
        "ca.crt": authority.certificate,
        "ca.key": authority.key,
        "tls.crt": pair.certificate,
        "tls.key": pair.key,
    }
    meta = {"name": SECRET, "namespace": MANAGER.namespace}
    data = {name: base64.b64encode(text).decode() for name, text in content.items()}
    box.api.apply({"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data})
    folder = box.directory / "pki" / CONTROLLER
    folder.mkdir(mode=0o700, exist_ok=True)
    for name in ("tls.crt", "tls.key"):
        write_private(folder / name, content[name])
    return folder, authority


def configuration(
    artifact: Artifact,
    options: Mapping[str, str],
    *,
    port: int,
    health: int,
    certificates: str,
    address: str = "127.0.0.1",
) -> Object:
    """The vendor's configuration file, with what the user set and where it is found here."""
    shipped: Object = hosting.read_yaml(artifact.files["config"], "controller_manager_config.yaml")
    return {
        **shipped,
        **_patience(options),
        "health": {"healthProbeBindAddress": f"{address}:{health}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": address, "port": port, "certDir": certificates},
        "leaderElection": {**shipped["leaderElection"], "leaderElect": False},
        "featureGates": {"VisibilityOnDemand": False, **_gates(options)},
    }


def waits_for_pods(options: Mapping[str, str]) -> bool:
    """Whether a gang that does not run whole is evicted in the time of a case; UsageError for an odd value."""
    for name in ("wait-for-pods-ready", "block-admission"):
        if (value := options.get(name, "off")) not in ("on", "off"):
            raise UsageError(f"--set {name} must be on or off; given: {value}", hint=f"Allowed: --set {name}=on")
    is_on = options.get("wait-for-pods-ready") == "on"
    times = [name for name in OPTIONS if name != "wait-for-pods-ready" and name in options]
    if times and not is_on:
        raise UsageError(
            f"--set {times[0]} has no effect without --set wait-for-pods-ready=on",
            hint=f"Add --set wait-for-pods-ready=on, or leave {times[0]} out.",
        )
    return is_on


def _patience(options: Mapping[str, str]) -> Object:
    """The part of the configuration that says how long Kueue waits for the pods of a gang to be ready."""
    if not waits_for_pods(options):
        return {}
    values = {**EXAMPLE, **options}
    backoff = values.get("requeue-backoff", "60")
    if not backoff.isdigit():
        raise UsageError(f"--set requeue-backoff must be a whole number of seconds; given: {backoff}")
    settings = {
        "timeout": values["pods-ready-timeout"],
        "recoveryTimeout": values["recovery-timeout"],
        "blockAdmission": values.get("block-admission") == "on",
        "requeuingStrategy": {"timestamp": "Eviction", "backoffBaseSeconds": int(backoff)},
    }
    return {"waitForPodsReady": settings}


def _gates(options: Mapping[str, str]) -> dict[str, bool]:
    """As shipped, Kueue waits for pods with a timeout of 30 minutes; a gate alone turns that off."""
    return {"DisableWaitForPodsReady": True} if options.get("wait-for-pods-ready") == "off" else {}


def webhooks(artifact: Artifact, *, authority: bytes, url: str = "") -> list[Object]:
    """The release's webhook configurations, with the selector that its kustomization gives to those of workloads."""
    spared = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": list(SPARED)}
    objects = MANAGER.webhooks(artifact, authority=authority, url=url)
    for hook in (hook for obj in objects for hook in obj["webhooks"]):
        if not any("kueue.x-k8s.io" in rule["apiGroups"] for rule in hook["rules"]):
            hook["namespaceSelector"] = {"matchExpressions": [spared]}
    return objects


def convert(box: Box, artifact: Artifact, authority: bytes, *, url: str = "") -> None:
    """Have Kueue convert its older API, as its kustomization does; by URL if one is given, else by service."""
    bundle = base64.b64encode(authority).decode()
    for path in artifact.files["conversion"]:
        definition = yaml.safe_load(path.read_text("utf-8"))
        conversion = definition["spec"]["conversion"]
        where = conversion["webhook"]["clientConfig"].pop("service")["path"]
        service = {"name": MANAGER.service, "namespace": MANAGER.namespace, "path": where}
        called = {"url": url + where} if url else {"service": service}
        conversion["webhook"]["clientConfig"] = {"caBundle": bundle, **called}
        box.api.patch(CRD, "", definition["metadata"]["name"], {"spec": {"conversion": conversion}})


def cluster(context: InstallContext) -> list[Object]:
    """What runs the release in a cluster; one folder shows its certificate to the webhooks and the metrics server."""
    ports = hosting.PORTS
    config = configuration(
        context.artifact,
        context.options,
        port=ports["webhook"],
        health=ports["health"],
        certificates=METRICS,
        address="0.0.0.0",
    )
    config["internalCertManagement"] = {"enable": False}
    objects = hosting.controller_in_cluster(
        f"{MANAGER.name}-controller-manager",
        MANAGER.namespace,
        context.images["controller"],
        authority=context.authority,
        service=MANAGER.service,
        arguments=[f"--config={hosting.FILES}/{CONFIG}", "--zap-log-level=2"],
        files={CONFIG: yaml.safe_dump(config, sort_keys=False)},
        certificates=METRICS,
    )
    hooks = webhooks(context.artifact, authority=context.authority.certificate)
    return [hosting.namespace(MANAGER.namespace), *MANAGER.rights(context.artifact), *objects, *hooks]


PART = Part(
    cluster,
    "kueue",
    prepare=lambda box, artifact: convert(box, artifact, box.authority.certificate),
    options=tuple(OPTIONS),
    departures=(*kubebuilder.IN_CLUSTER, NO_VISIBILITY),
)
