"""What a JobSet with a groupSchedulingConfig may not be, each thing with its field path and in Kubernetes' words.

The design asks for two rules: no start in order across several targets, and no container of the user under the reserved
name. The others follow from it: a target must exist, a time limit must lie ahead, `dependsOn` between targets is an
order too, and what was injected into pod templates, which never change, cannot follow a config that does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.controllers import jobset_barrier_spec as spec
from harness.controllers.admission import FieldError
from harness.controllers.client import Object
from harness.controllers.jobset_barrier_injection import TEMPLATE, is_ours
from harness.controllers.jobset_barrier_spec import CONFIG, INIT, VOLUME

ROOT = f"spec.{CONFIG}"
RESERVED = f"is reserved in a JobSet with a {CONFIG}"


def errors(jobset: Object, old: Object | None) -> list[FieldError]:
    """Everything that is wrong with it; nothing is asked of a JobSet that goes."""
    if jobset["metadata"].get("deletionTimestamp"):
        return []
    found = list(_changed(jobset, old)) if old is not None else []
    if spec.config(jobset) is not None:
        found += [*_timeout(jobset), *_targets(jobset), *_order(jobset), *_reserved(jobset)]
        found += list(_injected(jobset)) if old is None and not found else []
    return found


def _changed(jobset: Object, old: Object) -> Iterator[FieldError]:
    new = spec.config(jobset)
    if _plain(new) != _plain(spec.config(old)):
        yield FieldError.immutable(ROOT, new)


def _plain(config: Object | None) -> Object | None:
    """Without fields that say nothing: null and an empty list of targets mean what an absent field means."""
    return None if config is None else {key: value for key, value in config.items() if value not in (None, [])}


def _injected(jobset: Object) -> Iterator[FieldError]:
    """A new JobSet has passed the webhook that injects; one that has not would start without a barrier."""
    name = spec.config_map_name(jobset["metadata"].get("name", ""))
    chosen = [job.get("name") for job in spec.targets(jobset)]
    for index, job in enumerate(spec.jobs(jobset)):
        pod = spec.part(job, *TEMPLATE, "spec")
        sources = [spec.part(one, "configMap").get("name") for one in pod.get("volumes") or () if is_ours(one)]
        if job.get("name") in chosen and (not is_ours((pod.get("initContainers") or [{}])[0]) or sources != [name]):
            path = f"spec.replicatedJobs[{index}].{'.'.join(TEMPLATE)}.spec.initContainers"
            yield FieldError.required(path, f"must begin with {INIT}, which its webhook injects and was not asked to")


def _timeout(jobset: Object) -> Iterator[FieldError]:
    given = (spec.config(jobset) or {}).get("timeoutAfterSeconds")
    if isinstance(given, int) and given <= 0:
        yield FieldError.invalid(f"{ROOT}.timeoutAfterSeconds", given, "must be greater than 0")


def _targets(jobset: Object) -> Iterator[FieldError]:
    known = {job.get("name") for job in spec.jobs(jobset)}
    seen: set[Any] = set()
    for index, name in enumerate((spec.config(jobset) or {}).get("targetReplicatedJobs") or ()):
        path = f"{ROOT}.targetReplicatedJobs[{index}]"
        if name in seen:
            yield FieldError.duplicate(path, name)
        elif name not in known:
            yield FieldError.invalid(path, name, "must be the name of a replicated job of this JobSet")
        seen.add(name)


def _order(jobset: Object) -> Iterator[FieldError]:
    chosen = {str(job.get("name")) for job in spec.targets(jobset)}
    policy = spec.part(jobset, "spec", "startupPolicy").get("startupPolicyOrder")
    if policy == "InOrder" and len(chosen) > 1:
        detail = f"may not be InOrder when {CONFIG} spans more than one replicated job"
        yield FieldError.invalid("spec.startupPolicy.startupPolicyOrder", policy, detail)
    needs = {str(job.get("name")): _needs(job) for job in spec.jobs(jobset)}
    for index, job in enumerate(spec.jobs(jobset)):
        name = str(job.get("name"))
        for other in sorted(_reached(name, needs) & chosen) if name in chosen else ():
            detail = f'may not lead to "{other}", for both are targets of {CONFIG} and start together'
            yield FieldError.forbidden(f"spec.replicatedJobs[{index}].dependsOn", detail)


def _needs(job: Object) -> list[str]:
    given = job.get("dependsOn")
    return [str(one.get("name")) for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _reached(name: str, needs: dict[str, list[str]]) -> set[str]:
    """All jobs that this one depends on, directly or by way of others."""
    reached: set[str] = set()
    ahead = list(needs[name])
    while ahead:
        if (one := ahead.pop()) not in reached:
            reached.add(one)
            ahead += needs.get(one, [])
    return reached


def _reserved(jobset: Object) -> Iterator[FieldError]:
    chosen = [job.get("name") for job in spec.targets(jobset)]
    for index, job in enumerate(spec.jobs(jobset)):
        pod = spec.part(job, *TEMPLATE, "spec")
        path = f"spec.replicatedJobs[{index}].{'.'.join(TEMPLATE)}.spec"
        target = job.get("name") in chosen
        for field, name in (("containers", INIT), ("initContainers", INIT), ("volumes", VOLUME)):
            if field != "volumes" or target:
                yield from _taken(pod.get(field), f"{path}.{field}", name, allowed=target and field != "containers")


def _taken(things: Any, path: str, name: str, *, allowed: bool) -> Iterator[FieldError]:
    """Whoever has the name and is not the one that was injected."""
    for index, one in enumerate(things if isinstance(things, list) else ()):
        if isinstance(one, dict) and one.get("name") == name and not (allowed and is_ours(one)):
            yield FieldError.invalid(f"{path}[{index}].name", name, RESERVED)
