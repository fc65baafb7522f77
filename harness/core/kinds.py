"""Kinds of objects and where an API server serves them; those that several packages use are defined here, once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of objects. A path needs the plural; where it is empty, an API server has to be asked for it."""

    api_version: str
    kind: str
    plural: str = ""
    namespaced: bool = True

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Where its objects are, those of a namespace, one of them, or a part of that one."""
        assert self.plural, f"the plural of {self.kind} is not known"
        root = f"/apis/{self.api_version}" if "/" in self.api_version else f"/api/{self.api_version}"
        scope = ("namespaces", namespace) if self.namespaced and namespace else ()
        return "/".join(part for part in (root, *scope, self.plural, name, subresource) if part)


CONFIG_MAP = Kind("v1", "ConfigMap", "configmaps")
CRD = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False)
DEPLOYMENT = Kind("apps/v1", "Deployment", "deployments")
EVENT = Kind("v1", "Event", "events")
JOB = Kind("batch/v1", "Job", "jobs")
JOBSET = Kind("jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets")
LEADER_WORKER_SET = Kind("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "leaderworkersets")
NAMESPACE = Kind("v1", "Namespace", "namespaces", namespaced=False)
NODE = Kind("v1", "Node", "nodes", namespaced=False)
PERSISTENT_VOLUME = Kind("v1", "PersistentVolume", "persistentvolumes", namespaced=False)
PERSISTENT_VOLUME_CLAIM = Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims")
POD = Kind("v1", "Pod", "pods")
RESOURCE_CLAIM = Kind("resource.k8s.io/v1", "ResourceClaim", "resourceclaims")
SERVICE = Kind("v1", "Service", "services")
STATEFUL_SET = Kind("apps/v1", "StatefulSet", "statefulsets")
