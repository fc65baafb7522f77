"""The waiting init container, and how it gets into the pod templates of a JobSet's targets.

It is the first init container, so no container of the user runs before the barrier. It needs only a POSIX shell with
`date`, `cat` and `sleep`. A new JobSet always gets a new one, even if an exported manifest still has a copy. On every
change it is copied from the stored JobSet, because pod templates are immutable: applying the original manifest again
changes nothing, also if the controller has another image by now.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from harness.controllers.jobset_barrier import spec as spec
from harness.controllers.jobset_barrier.spec import INIT, MOUNT, RESUMES, VOLUME
from harness.controllers.runtime.client import Object
from harness.core.errors import UsageError

DEFAULT_IMAGE = "bash"
SCRIPT = f"""\
trap 'exit 1' TERM
attempt="$JOBSET_UID/$RESTART_ATTEMPT/$RESUMES"
began=$(date +%s)
until [ "$(cat {MOUNT}/{spec.STARTED} 2>/dev/null)" = "$attempt" ]; do
  if [ -n "$TIMEOUT_AFTER_SECONDS" ] && [ $(($(date +%s) - began)) -gt "$TIMEOUT_AFTER_SECONDS" ]; then
    echo "not all pods of the group have started within $TIMEOUT_AFTER_SECONDS s" >&2
    exit 1
  fi
  sleep 1
done
"""
LETTERS = "bcdfghjklmnpqrstvwxz2456789"  # the characters of generated names in Kubernetes
SMALL = {"cpu": "50m", "memory": "16Mi"}
TEMPLATE = ("template", "spec", "template")  # from a replicated job to its pod template


def check_image(image: str) -> str:
    """The image; UsageError if it cannot be the name of an image."""
    if not image or any(character.isspace() for character in image):
        raise UsageError(f"{image!r} is no image for init containers", hint="Give an image such as busybox:1.37.")
    return image


def container(jobset: Object, image: str, containers: Any = ()) -> Object:
    """The init container of one target; `containers` are the containers that start after it."""
    timeout = (spec.config(jobset) or {}).get("timeoutAfterSeconds")
    init_container: Object = {
        "name": INIT,
        "image": image,
        "command": ["sh", "-c", SCRIPT],
        "env": [
            {"name": "JOBSET_UID", "valueFrom": _field("labels", spec.UID_LABEL)},
            {"name": "RESTART_ATTEMPT", "valueFrom": _field("labels", spec.RESTART_LABEL)},
            {"name": "RESUMES", "valueFrom": _field("annotations", RESUMES)},
            *([] if timeout is None else [{"name": "TIMEOUT_AFTER_SECONDS", "value": str(timeout)}]),
        ],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [{"name": VOLUME, "mountPath": MOUNT, "readOnly": True}],
    }
    if _guaranteed(containers):
        init_container["resources"] = {"limits": dict(SMALL), "requests": dict(SMALL)}
    return init_container


def volume(jobset: Object) -> Object:
    name = spec.config_map_name(jobset["metadata"]["name"])
    return {"name": VOLUME, "configMap": {"name": name, "optional": True}}


def is_injected(obj: Any) -> bool:
    """Whether an init container or a volume with a reserved name is a copy of the injected one."""
    if not isinstance(obj, dict):
        return False
    if obj.get("name") == INIT:
        mounts = obj.get("volumeMounts")
        return isinstance(mounts, list) and any(
            spec.part(mount) and mount.get("mountPath") == MOUNT for mount in mounts
        )
    source = spec.part(obj, "configMap")
    return (
        obj.get("name") == VOLUME and source.get("optional") is True and str(source.get("name")).endswith(f"-{VOLUME}")
    )


def injection(jobset: Object, old: Object | None, image: str) -> list[Object]:
    """The JSON patch that gives every target its init container; empty if all have it.

    A JobSet with a generateName gets its name here, because the name of the ConfigMap contains it.
    """
    patch: list[Object] = []
    if spec.config(jobset) is not None and not jobset["metadata"].get("name"):
        name = jobset["metadata"].get("generateName", "") + "".join(secrets.choice(LETTERS) for _ in range(5))
        jobset = {**jobset, "metadata": {**jobset["metadata"], "name": name}}
        patch.append({"op": "add", "path": "/metadata/name", "value": name})
    return patch + _templates(jobset, old, image)


def _templates(jobset: Object, old: Object | None, image: str) -> list[Object]:
    before = {job.get("name"): job for job in spec.targets(old)} if old is not None else {}
    resumed = old is not None and spec.suspended(old) and not spec.suspended(jobset)
    targets = [job.get("name") for job in spec.targets(jobset)]
    patch: list[Object] = []
    jobs = (jobset.get("spec") or {}).get("replicatedJobs")
    for index, job in enumerate(jobs if isinstance(jobs, list) else ()):
        pod = spec.part(job, *TEMPLATE, "spec")
        if not pod or job.get("name") not in targets:
            continue
        stored = before.get(job.get("name"))
        if old is not None and stored is None:
            continue  # a new target: the rules reject it
        target = _new(jobset, pod, image) if stored is None else _stored(stored)
        target["resumes"] = "0" if stored is None else _count(stored, resumed)
        patch += _changes(f"/spec/replicatedJobs/{index}/{'/'.join(TEMPLATE)}", spec.part(job, *TEMPLATE), target)
    return patch


def _new(jobset: Object, pod: Object, image: str) -> Object:
    return {"container": container(jobset, image, pod.get("containers")), "volume": volume(jobset)}


def _stored(job: Object) -> Object:
    pod = spec.part(job, *TEMPLATE, "spec")
    return {"container": _first_injected(pod.get("initContainers")), "volume": _first_injected(pod.get("volumes"))}


def _first_injected(items: Any) -> Object | None:
    return next((item for item in items if is_injected(item)), None) if isinstance(items, list) else None


def _count(stored: Object, resumed: bool) -> str:
    written = spec.resumes(stored)
    return str(int(written) + 1) if resumed and written.isdecimal() else written


def _changes(path: str, template: Object, target: Object) -> list[Object]:
    """The operations for one template: the injected init container is the first, the injected volume the last."""
    patch: list[Object] = []
    pod = spec.part(template, "spec")
    orders: tuple[tuple[str, Object | None, Callable[[list[Any], Object], list[Any]]], ...] = (
        ("initContainers", target["container"], lambda rest, injected: [injected, *rest]),
        ("volumes", target["volume"], lambda rest, injected: [*rest, injected]),
    )
    for field, injected, arrange in orders:
        current = pod.get(field)
        items: list[Any] = current if isinstance(current, list) else []
        rest = [item for item in items if not is_injected(item)]
        if injected is None or any(spec.part(item).get("name") == injected["name"] for item in rest):
            continue  # a container of the user has the reserved name: the rules reject it
        if (new := arrange(rest, injected)) != items:
            patch.append({"op": "add", "path": f"{path}/spec/{field}", "value": new})
    meta = spec.part(template, "metadata")
    annotations = spec.part(meta, "annotations")
    if target["resumes"] and annotations.get(RESUMES) != target["resumes"]:
        value = {**meta, "annotations": {**annotations, RESUMES: target["resumes"]}}
        patch.append({"op": "add", "path": f"{path}/metadata", "value": value})
    return patch


def _field(where: str, key: str) -> Object:
    return {"fieldRef": {"fieldPath": f"metadata.{where}['{key}']"}}


def _guaranteed(containers: Any) -> bool:
    """Whether all containers have limits for cpu and memory: then the init container needs limits too, to keep the
    QoS class of the pod."""
    listed = containers if isinstance(containers, list) else []
    limits = [spec.part(container, "resources", "limits") for container in listed]
    return bool(limits) and all({"cpu", "memory"} <= container.keys() for container in limits)
