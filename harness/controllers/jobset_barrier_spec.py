"""What a JobSet says about its barrier, and what its pods say about themselves: pure questions over plain objects.

An attempt is one try of a JobSet to run: a JobSet of its own uid, so often restarted, so often resumed. Its pods carry
all three, so a signal that names the attempt can only open the barrier for pods of that attempt, however late a node
hears of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.controllers.client import Object

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
    """The JobSet's wish for a barrier; None if it has none. An empty one is a wish, too."""
    found = (jobset.get("spec") or {}).get(CONFIG)
    return found if isinstance(found, dict) else None


def config_map_name(jobset: str) -> str:
    return f"{jobset}-{VOLUME}"


def jobs(jobset: Object) -> list[Object]:
    """The replicated jobs, as far as they have the shape of any; the schema complains about the others."""
    found = (jobset.get("spec") or {}).get("replicatedJobs")
    return [job for job in found if isinstance(job, dict)] if isinstance(found, list) else []


def targets(jobset: Object) -> list[Object]:
    """The replicated jobs that wait for one another: those named, or all."""
    wish = config(jobset)
    if wish is None:
        return []
    given = wish.get("targetReplicatedJobs")
    named = given if isinstance(given, list) else []
    return [job for job in jobs(jobset) if not named or job.get("name") in named]


def pods_per_job(job: Object) -> int:
    """How many pods of one Job run at once."""
    spec = part(job, "template", "spec")
    parallelism, completions = spec.get("parallelism"), spec.get("completions")
    at_once = 1 if parallelism is None else int(parallelism)
    return at_once if completions is None else min(at_once, int(completions))


def replicas(job: Object) -> int:
    given = job.get("replicas")
    return 1 if given is None else int(given)


def expected(jobset: Object) -> int:
    """How many pods must have started."""
    return sum(replicas(job) * pods_per_job(job) for job in targets(jobset))


def attempt(jobset: Object) -> str:
    """The attempt that the JobSet is in."""
    restarts = (jobset.get("status") or {}).get("restarts") or 0
    chosen = targets(jobset)
    return _attempt(jobset["metadata"]["uid"], str(restarts), resumes(chosen[0]) if chosen else "")


def attempt_of_pod(pod: Object) -> str:
    """The attempt that a pod belongs to."""
    meta = pod["metadata"]
    labels, annotations = meta.get("labels") or {}, meta.get("annotations") or {}
    return _attempt(labels.get(UID_LABEL, ""), labels.get(RESTART_LABEL, ""), annotations.get(RESUMES, ""))


def resumes(job: Object) -> str:
    """How often the JobSet had been resumed, as it is written into the pod template of a target."""
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
    """Its init container runs, or has let it pass. Being bound is not enough, and a pod that goes does not count."""
    status = pod.get("status") or {}
    if pod["metadata"].get("deletionTimestamp") or status.get("phase") == "Failed":
        return False
    for one in status.get("initContainerStatuses") or ():
        if one["name"] == INIT:
            state = one.get("state") or {}
            return "running" in state or part(state, "terminated").get("exitCode") == 0
    return False


def members(jobset: Object, pods: Iterable[Object]) -> list[Object]:
    """Those of the JobSet's pods that wait for one another: of a target, in the current attempt."""
    now = attempt(jobset)
    chosen = {job.get("name") for job in targets(jobset)}
    labelled = ((pod, (pod["metadata"].get("labels") or {}).get(JOB_LABEL)) for pod in pods)
    return [pod for pod, job in labelled if job in chosen and attempt_of_pod(pod) == now]


def started(jobset: Object, pods: Iterable[Object]) -> int:
    """How many of the expected pods have started.

    Counted Job by Job and index by index: a surplus pod of one Job never stands in for a missing one of another.
    """
    limits = {job["name"]: pods_per_job(job) for job in targets(jobset)}
    seen: dict[tuple[str, str], set[str]] = {}
    for pod in members(jobset, pods):
        if has_started(pod):
            labels = pod["metadata"]["labels"]
            job = labels[JOB_LABEL], labels.get(JOB_INDEX_LABEL, "")
            seen.setdefault(job, set()).add(labels.get(INDEX_LABEL, pod["metadata"]["name"]))
    return sum(min(len(which), limits[job]) for (job, _), which in seen.items())


def part(obj: Any, *path: str) -> Object:
    """The object at the end of the path; empty where there is none, or something else."""
    for step in path:
        obj = obj.get(step) if isinstance(obj, dict) else None
    return obj if isinstance(obj, dict) else {}
