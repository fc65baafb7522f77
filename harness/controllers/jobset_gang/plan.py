"""Which pods of a JobSet are gangs, from its gangConfig alone.

    JobSet level Gang              one group of all pods of all jobs
    ReplicatedJob Gang             one group of all pods of that job, over its replicas
    ReplicatedJob ReplicatedGang   one group whose description serves each replica as a gang of its own

A group is an entry of the JobSet's one Workload. Where gangs are objects (Kubernetes 1.36 and later) a group has one
PodGroup, or one for each replica; their names have dots, which names of JobSets and jobs cannot have, so that no two
JobSets of a namespace can mean the same object.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.controllers.runtime.client import Object

OFF, GANG, REPLICATED = "Off", "Gang", "ReplicatedGang"
LARGEST_WORKLOAD = 8  # groups that Kubernetes takes in one Workload


@dataclass(frozen=True, slots=True)
class Instance:
    """One gang: its group, its name, and the key of its replica if it is one of several."""

    group: str
    name: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """One entry of the Workload."""

    name: str
    minimum: int  # pods that start together
    jobs: tuple[str, ...]  # replicated jobs whose pods are in it
    instances: tuple[Instance, ...]
    priority: str = ""  # the PriorityClass of its pods, if they agree


@dataclass(frozen=True, slots=True)
class GangPlan:
    """The gangs that a JobSet asks for."""

    workload: str
    groups: tuple[PlannedGroup, ...]

    def instance(self, job: str, index: int) -> Instance | None:
        """The gang that the pods of this replica of this job are in; None if they are in none."""
        for group in self.groups:
            if job in group.jobs:
                return group.instances[index if len(group.instances) > 1 else 0]
        return None


def written_mode(holder: Object) -> str | None:
    """The gangMode of a JobSet's spec or of a replicated job, as it is written."""
    config: Object = holder.get("gangConfig") or {}
    return config.get("gangMode")


def mode(holder: Object) -> str:
    """The gangMode in effect: Off if none is written."""
    return written_mode(holder) or OFF


def plan(jobset: Object) -> GangPlan | None:
    """The groups a JobSet asks for; None if it asks for none."""
    name, spec = jobset["metadata"]["name"], jobset["spec"]
    jobs = [job for job in jobs_of(jobset) if _replicas(job) * pods_of(job)]
    groups: list[PlannedGroup] = []
    if mode(spec) == GANG and jobs:
        total = sum(_replicas(job) * pods_of(job) for job in jobs)
        group = f"pg-{name}"
        names = tuple(job["name"] for job in jobs)
        groups = [PlannedGroup(group, total, names, (Instance(group, group),), _priority(jobs))]
    for job in jobs if mode(spec) != GANG else ():
        pod_group, group = f"pg-{name}.{job['name']}", f"pg-{job['name']}"
        if mode(job) == GANG:
            total = _replicas(job) * pods_of(job)
            groups.append(PlannedGroup(group, total, (job["name"],), (Instance(group, pod_group),), _priority([job])))
        elif mode(job) == REPLICATED:
            each = tuple(Instance(group, f"{pod_group}.{index}", str(index)) for index in range(_replicas(job)))
            groups.append(PlannedGroup(group, pods_of(job), (job["name"],), each, _priority([job])))
    return GangPlan(f"w-{name}", tuple(groups)) if groups else None


def never_complete(jobset: Object) -> str:
    """Why the gang of a JobSet can never be complete; empty if it can.

    Pods of a job that waits for another one do not exist, and the other one's pods wait for them.
    """
    spec = jobset["spec"]
    jobs = jobs_of(jobset)
    if mode(spec) != GANG or len(jobs) < 2:
        return ""
    for job in jobs:
        if job.get("dependsOn"):
            others = ", ".join(dependency["name"] for dependency in job["dependsOn"])
            return f"replicatedJob {job['name']} is created after {others}, which is in the same gang and waits for it"
    if (spec.get("startupPolicy") or {}).get("startupPolicyOrder") == "InOrder":
        return f"the jobs are created in order, and {jobs[0]['name']} is in the same gang and waits for the others"
    return ""


def jobs_of(jobset: Object) -> list[Object]:
    """The replicated jobs of a JobSet."""
    return list(jobset["spec"].get("replicatedJobs") or ())


def pods_of(job: Object) -> int:
    """How many pods one replica of a job has at once: its parallelism, or its completions if those are fewer."""
    spec = job["template"]["spec"]
    parallelism: int = spec.get("parallelism", 1)
    completions: int = spec.get("completions", parallelism)
    return min(parallelism, completions)


def _replicas(job: Object) -> int:
    return int(job.get("replicas", 1))


def _priority(jobs: list[Object]) -> str:
    classes = {str(job["template"]["spec"]["template"]["spec"].get("priorityClassName", "")) for job in jobs}
    return classes.pop() if len(classes) == 1 else ""
