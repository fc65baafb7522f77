"""The rules for a JobSet with a groupSchedulingConfig; errors have the format of Kubernetes.

The design has two rules: no start in order across several targets, and no container of the user with the reserved
name. The others follow from it: a target must exist, a time limit must be positive, `dependsOn` between targets is an
order too, and the config is immutable, since pod templates are and the injected container is part of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.controllers.jobset_barrier import spec as spec
from harness.controllers.jobset_barrier.injection import TEMPLATE, is_injected
from harness.controllers.jobset_barrier.spec import CONFIG, INIT, VOLUME
from harness.controllers.runtime.admission import FieldError
from harness.controllers.runtime.client import Object

ROOT = f"spec.{CONFIG}"
RESERVED = f"is reserved in a JobSet with a {CONFIG}"


def errors(jobset: Object, old: Object | None) -> list[FieldError]:
    """All errors of the JobSet; none if it is being deleted."""
    if jobset["metadata"].get("deletionTimestamp"):
        return []
    faults = list(_changed(jobset, old)) if old is not None else []
    if spec.config(jobset) is not None:
        faults += [*_timeout(jobset), *_targets(jobset), *_order(jobset), *_reserved(jobset)]
        faults += list(_injected(jobset)) if old is None and not faults else []
    return faults


def _changed(jobset: Object, old: Object) -> Iterator[FieldError]:
    new = spec.config(jobset)
    if _plain(new) != _plain(spec.config(old)):
        yield FieldError.immutable(ROOT, new)


def _plain(config: Object | None) -> Object | None:
    """Without empty fields: null and an empty list of targets mean the same as an absent field."""
    return None if config is None else {key: value for key, value in config.items() if value not in (None, [])}


def _injected(jobset: Object) -> Iterator[FieldError]:
    """An error if the mutating webhook did not see a new JobSet, which would start without a barrier."""
    name = spec.config_map_name(jobset["metadata"].get("name", ""))
    targets = [job.get("name") for job in spec.targets(jobset)]
    for index, job in enumerate(spec.jobs(jobset)):
        pod = spec.part(job, *TEMPLATE, "spec")
        sources = [
            spec.part(volume, "configMap").get("name") for volume in pod.get("volumes") or () if is_injected(volume)
        ]
        if job.get("name") in targets and (
            not is_injected((pod.get("initContainers") or [{}])[0]) or sources != [name]
        ):
            path = f"spec.replicatedJobs[{index}].{'.'.join(TEMPLATE)}.spec.initContainers"
            yield FieldError.required(
                path, f"must begin with {INIT}, which the mutating webhook injects: it was not called"
            )


def _timeout(jobset: Object) -> Iterator[FieldError]:
    timeout = (spec.config(jobset) or {}).get("timeoutAfterSeconds")
    if isinstance(timeout, int) and timeout <= 0:
        yield FieldError.invalid(f"{ROOT}.timeoutAfterSeconds", timeout, "must be greater than 0")


def _targets(jobset: Object) -> Iterator[FieldError]:
    names = {job.get("name") for job in spec.jobs(jobset)}
    named: set[Any] = set()
    for index, name in enumerate((spec.config(jobset) or {}).get("targetReplicatedJobs") or ()):
        path = f"{ROOT}.targetReplicatedJobs[{index}]"
        if name in named:
            yield FieldError.duplicate(path, name)
        elif name not in names:
            yield FieldError.invalid(path, name, "must be the name of a replicated job of this JobSet")
        named.add(name)


def _order(jobset: Object) -> Iterator[FieldError]:
    targets = {str(job.get("name")) for job in spec.targets(jobset)}
    policy = spec.part(jobset, "spec", "startupPolicy").get("startupPolicyOrder")
    if policy == "InOrder" and len(targets) > 1:
        detail = f"may not be InOrder when {CONFIG} spans more than one replicated job"
        yield FieldError.invalid("spec.startupPolicy.startupPolicyOrder", policy, detail)
    needs = {str(job.get("name")): _needs(job) for job in spec.jobs(jobset)}
    for index, job in enumerate(spec.jobs(jobset)):
        name = str(job.get("name"))
        for other in sorted(_reached(name, needs) & targets) if name in targets else ():
            detail = f'may not lead to "{other}": both are targets of {CONFIG} and start together'
            yield FieldError.forbidden(f"spec.replicatedJobs[{index}].dependsOn", detail)


def _needs(job: Object) -> list[str]:
    dependencies = job.get("dependsOn")
    return (
        [str(dependency.get("name")) for dependency in dependencies if isinstance(dependency, dict)]
        if isinstance(dependencies, list)
        else []
    )


def _reached(name: str, needs: dict[str, list[str]]) -> set[str]:
    """All jobs that this job depends on, directly or indirectly."""
    reached: set[str] = set()
    waiting = list(needs[name])
    while waiting:
        if (job := waiting.pop()) not in reached:
            reached.add(job)
            waiting += needs.get(job, [])
    return reached


def _reserved(jobset: Object) -> Iterator[FieldError]:
    targets = [job.get("name") for job in spec.targets(jobset)]
    for index, job in enumerate(spec.jobs(jobset)):
        pod = spec.part(job, *TEMPLATE, "spec")
        path = f"spec.replicatedJobs[{index}].{'.'.join(TEMPLATE)}.spec"
        target = job.get("name") in targets
        for field, name in (("containers", INIT), ("initContainers", INIT), ("volumes", VOLUME)):
            if field != "volumes" or target:
                yield from _reserved_names(
                    pod.get(field), f"{path}.{field}", name, allowed=target and field != "containers"
                )


def _reserved_names(items: Any, path: str, name: str, *, allowed: bool) -> Iterator[FieldError]:
    """An error for every item with the reserved name that was not injected."""
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and item.get("name") == name and not (allowed and is_injected(item)):
            yield FieldError.invalid(f"{path}[{index}].name", name, RESERVED)
