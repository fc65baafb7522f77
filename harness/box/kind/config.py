"""The configuration of a box's kind cluster, from clusters/kind/cluster.yaml.j2."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import jinja2

from harness.box.data import data_root
from harness.box.minor import Minor

# kubeadm's own flags stay; lists replace each other when kind merges a patch, so kind's two are repeated here.
APISERVER = {
    "audit-policy-file": "/kind/audit-policy.yaml",
    "audit-log-path": "/kind/audit/audit.log",
    "audit-log-mode": "blocking",  # no bind is answered before it is recorded
    "audit-log-maxsize": "10000",  # a rotated log would be a gap
    "etcd-compaction-interval": "0",  # a watch can never be told that its revision is gone
    "watch-cache": "false",  # watches come from etcd itself: after a restart of the API server they resume
    "delete-collection-workers": "16",
    "disable-admission-plugins": "TaintNodesByCondition",  # fake nodes arrive ready; real ones are tainted all the same
}
CONTROLLER_MANAGER = {
    "enable-hostpath-provisioner": "true",
    "leader-elect": "false",  # a killed one is back at once, and not when its lease has run out
    "kube-api-qps": "1000",
    "kube-api-burst": "2000",
    "concurrent-namespace-syncs": "20",
}
SCHEDULER = {"leader-elect": "false"}


def cluster_config(
    *,
    name: str,
    minor: Minor,
    gates: Mapping[str, bool],
    workers: int,
    port: int,
    own_image: bool,
    audit_folder: Path,
    versions: Mapping[str, str],
    sync: str,
) -> str:
    """The file for `kind create cluster --config`."""
    served = {"runtime-config": ",".join(f"{group}=true" for group in minor.runtime_config)}

    def flags(base: Mapping[str, str], component: str) -> dict[str, str]:
        gate_flags = minor.gate_flags(component, gates)
        return {**base, **({"feature-gates": gate_flags[0].partition("=")[2]} if gate_flags else {})}

    return _template().render(
        name=name,
        workers=workers,
        port=port,
        own=own_image,
        sync=sync,
        audit_folder=str(audit_folder),
        audit_policy=str(data_root() / "clusters" / "audit-policy.yaml"),
        apiserver=flags({**APISERVER, **served}, "apiserver"),
        controller_manager=flags(CONTROLLER_MANAGER, "controllerManager"),
        scheduler=flags(SCHEDULER, "scheduler"),
        etcd=versions.get("etcd", ""),
        coredns=versions.get("coredns", ""),
    )


@lru_cache(maxsize=1)
def _template() -> jinja2.Template:
    path = data_root() / "clusters" / "kind" / "cluster.yaml.j2"
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    return environment.from_string(path.read_text(encoding="utf-8"))
