"""Pure functions that read the barrier of a JobSet and the state of its pods.

An attempt of a JobSet is its uid, its number of restarts and its number of resumes. Its pods have all three, so a
signal that names the attempt opens the barrier only for pods of that attempt, even if a node reads it late.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.controllers.runtime.client import Object

INIT = "group-scheduling-init"  # the reserved name of the init container that waits
VOLUME = "group-scheduling"
MOUNT = "/mnt/group-scheduling"
STARTED = "started"  # the key of the ConfigMap, and so the file that the init container waits for
CONFIG = "groupSchedulingConfig"

JOBSET_LABEL = "jobset.sigs.k8s.io/jobset-name"
UID_LABEL = "jobset.sigs.k8s.io/jobset-uid"
JOB_LABEL = "jobset.sigs.k8s.io/replicatedjob-name"
JOB_INDEX_LABEL = "jobset.sigs.k8s.io/job-index"
RESTART_LABEL = "jobset.sigs.k8s.io/restart-attempt"
RESUMES = "jobset.sigs.k8s.io/group-scheduling-resumes"  # annotation of the pod template, kept by our webhook
INDEX_LABEL = "batch.kubernetes.io/job-completion-index"


def config(jobset: Object) -> Object | None:
    """The groupSchedulingConfig of the JobSet, which may be empty; None if it has none."""
    value = (jobset.get("spec") or {}).get(CONFIG)
    return value if isinstance(value, dict) else None


def config_map_name(jobset: str) -> str:
    return f"{jobset}-{VOLUME}"


def jobs(jobset: Object) -> list[Object]:
    """The replicated jobs that are objects; the schema rejects anything else."""
    value = (jobset.get("spec") or {}).get("replicatedJobs")
    return [job for job in value if isinstance(job, dict)] if isinstance(value, list) else []


def targets(jobset: Object) -> list[Object]:
    """The replicated jobs that wait for each other: the named ones, or all."""
    barrier = config(jobset)
    if barrier is None:
        return []
    names = barrier.get("targetReplicatedJobs")
    named = names if isinstance(names, list) else []
    return [job for job in jobs(jobset) if not named or job.get("name") in named]


def pods_per_job(job: Object) -> int:
    """How many pods of one Job run at once."""
    spec = part(job, "template", "spec")
    parallelism, completions = spec.get("parallelism"), spec.get("completions")
    at_once = 1 if parallelism is None else int(parallelism)
    return at_once if completions is None else min(at_once, int(completions))


def replicas(job: Object) -> int:
    value = job.get("replicas")
    return 1 if value is None else int(value)


def expected(jobset: Object) -> int:
    """How many pods must have started."""
    return sum(replicas(job) * pods_per_job(job) for job in targets(jobset))


def attempt(jobset: Object) -> str:
    """The attempt that the JobSet is in."""
    restarts = (jobset.get("status") or {}).get("restarts") or 0
    jobs_that_wait = targets(jobset)
    return _attempt(jobset["metadata"]["uid"], str(restarts), resumes(jobs_that_wait[0]) if jobs_that_wait else "")


def attempt_of_pod(pod: Object) -> str:
    """The attempt that a pod belongs to."""
    meta = pod["metadata"]
    labels, annotations = meta.get("labels") or {}, meta.get("annotations") or {}
    return _attempt(labels.get(UID_LABEL, ""), labels.get(RESTART_LABEL, ""), annotations.get(RESUMES, ""))


def resumes(job: Object) -> str:
    """How often the JobSet was resumed, from the pod template of a target."""
    annotations = part(job, "template", "spec", "template", "metadata").get("annotations") or {}
    return str(annotations.get(RESUMES, "")) if isinstance(annotations, dict) else ""


def _attempt(uid: str, restarts: str, resumed: str) -> str:
    return f"{uid}/{restarts}/{resumed}"


def suspended(jobset: Object) -> bool:
    return bool((jobset.get("spec") or {}).get("suspend"))


def finished(jobset: Object) -> bool:
    return bool((jobset.get("status") or {}).get("terminalState"))


def is_leader(pod: Object) -> bool:
    """The first pod of a Job; a Job without indexes has no first one, so any of its pods may lead."""
    labels: Object = pod["metadata"].get("labels") or {}
    return str(labels.get(INDEX_LABEL, "0")) == "0"


def is_scheduled(pod: Object) -> bool:
    return bool(pod["spec"].get("nodeName"))


def has_started(pod: Object) -> bool:
    """Its init container runs or has succeeded. A bound pod has not started, and a pod being deleted does not count."""
    status = pod.get("status") or {}
    if pod["metadata"].get("deletionTimestamp") or status.get("phase") == "Failed":
        return False
    for container in status.get("initContainerStatuses") or ():
        if container["name"] == INIT:
            state = container.get("state") or {}
            return "running" in state or part(state, "terminated").get("exitCode") == 0
    return False


def members(jobset: Object, pods: Iterable[Object]) -> list[Object]:
    """The pods of the JobSet that wait for each other: of a target, in the current attempt."""
    now = attempt(jobset)
    names = {job.get("name") for job in targets(jobset)}
    labelled = ((pod, (pod["metadata"].get("labels") or {}).get(JOB_LABEL)) for pod in pods)
    return [pod for pod, job in labelled if job in names and attempt_of_pod(pod) == now]


def started(jobset: Object, pods: Iterable[Object]) -> int:
    """How many of the expected pods have started.

    They are counted per Job and index: a surplus pod of one Job never replaces a missing pod of another.
    """
    limits = {job["name"]: pods_per_job(job) for job in targets(jobset)}
    indexes: dict[tuple[str, str], set[str]] = {}
    for pod in members(jobset, pods):
        if has_started(pod):
            labels = pod["metadata"]["labels"]
            job = labels[JOB_LABEL], labels.get(JOB_INDEX_LABEL, "")
            indexes.setdefault(job, set()).add(labels.get(INDEX_LABEL, pod["metadata"]["name"]))
    return sum(min(len(of_job), limits[job]) for (job, _), of_job in indexes.items())


def part(obj: Any, *path: str) -> Object:
    """The object at the end of the path; empty if there is no object."""
    for step in path:
        obj = obj.get(step) if isinstance(obj, dict) else None
    return obj if isinstance(obj, dict) else {}
