"""The waiting init container, and how it gets into the pod templates of a JobSet's targets.

It comes first, so that nothing of the user's runs before the barrier; it needs nothing but a POSIX shell with `date`,
`cat` and `sleep`. Into a new JobSet it is written from scratch, whatever copy of it an exported manifest may still
hold. On every change it is taken over from the stored JobSet, because pod templates never change: a user who applies
the original manifest again finds everything as it was, and so does a controller that has got another image since.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from harness.controllers import jobset_barrier_spec as spec
from harness.controllers.client import Object
from harness.controllers.jobset_barrier_spec import INIT, MOUNT, RESUMES, VOLUME
from harness.core.errors import UsageError

DEFAULT_IMAGE = "bash"
SCRIPT = f"""\
trap 'exit 1' TERM
attempt="$JOBSET_UID/$RESTART_ATTEMPT/$RESUMES"
began=$(date +%s)
until [ "$(cat {MOUNT}/{spec.STARTED} 2>/dev/null)" = "$attempt" ]; do
  now=$(date +%s)
  if [ -n "$TIMEOUT_AFTER_SECONDS" ] && [ $((now - began)) -ge "$TIMEOUT_AFTER_SECONDS" ]; then
    echo "not all pods of the group have started within $TIMEOUT_AFTER_SECONDS s" >&2
    exit 1
  fi
  sleep 1
done
"""
LETTERS = "bcdfghjklmnpqrstvwxz2456789"  # of which Kubernetes makes names
SMALL = {"cpu": "50m", "memory": "16Mi"}
TEMPLATE = ("template", "spec", "template")  # from a replicated job to its pod template


def check_image(image: str) -> str:
    """The image as it was given; UsageError if it cannot be one."""
    if not image or any(character.isspace() for character in image):
        raise UsageError(f"{image!r} is no image for init containers", hint="Give one such as busybox:1.37.")
    return image


def container(jobset: Object, image: str, containers: Any = ()) -> Object:
    """The init container of one target; `containers` are those it waits in front of."""
    timeout = (spec.config(jobset) or {}).get("timeoutAfterSeconds")
    made: Object = {
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
        made["resources"] = {"limits": dict(SMALL), "requests": dict(SMALL)}
    return made


def volume(jobset: Object) -> Object:
    name = spec.config_map_name(jobset["metadata"]["name"])
    return {"name": VOLUME, "configMap": {"name": name, "optional": True}}


def is_ours(obj: Any) -> bool:
    """Whether an init container or a volume under a reserved name is a copy of what is injected."""
    if not isinstance(obj, dict):
        return False
    if obj.get("name") == INIT:
        mounts = obj.get("volumeMounts")
        return isinstance(mounts, list) and any(spec.part(one) and one.get("mountPath") == MOUNT for one in mounts)
    source = spec.part(obj, "configMap")
    return (
        obj.get("name") == VOLUME and source.get("optional") is True and str(source.get("name")).endswith(f"-{VOLUME}")
    )


def injection(jobset: Object, old: Object | None, image: str) -> list[Object]:
    """The JSON patch that gives every target its init container; empty if all have it.

    A JobSet whose name is to be generated gets it here: the ConfigMap that its pods mount is named after it.
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
    chosen = [job.get("name") for job in spec.targets(jobset)]
    patch: list[Object] = []
    listed = (jobset.get("spec") or {}).get("replicatedJobs")
    for index, job in enumerate(listed if isinstance(listed, list) else ()):
        pod = spec.part(job, *TEMPLATE, "spec")
        if not pod or job.get("name") not in chosen:
            continue
        stored = before.get(job.get("name"))
        if old is not None and stored is None:
            continue  # a target that was none before: the rules refuse it
        wanted = _wanted(jobset, pod, image) if stored is None else _stored(stored)
        wanted["resumes"] = "0" if stored is None else _count(stored, resumed)
        patch += _changes(f"/spec/replicatedJobs/{index}/{'/'.join(TEMPLATE)}", spec.part(job, *TEMPLATE), wanted)
    return patch


def _wanted(jobset: Object, pod: Object, image: str) -> Object:
    return {"container": container(jobset, image, pod.get("containers")), "volume": volume(jobset)}


def _stored(job: Object) -> Object:
    pod = spec.part(job, *TEMPLATE, "spec")
    return {"container": _first(pod.get("initContainers")), "volume": _first(pod.get("volumes"))}


def _first(things: Any) -> Object | None:
    return next((one for one in things if is_ours(one)), None) if isinstance(things, list) else None


def _count(stored: Object, resumed: bool) -> str:
    written = spec.resumes(stored)
    return str(int(written) + 1) if resumed and written.isdecimal() else written


def _changes(path: str, template: Object, wanted: Object) -> list[Object]:
    """Operations for what is not as wanted: ours goes first among the init containers and last among the volumes."""
    patch: list[Object] = []
    pod = spec.part(template, "spec")
    orders: tuple[tuple[str, Object | None, Callable[[list[Any], Object], list[Any]]], ...] = (
        ("initContainers", wanted["container"], lambda rest, own: [own, *rest]),
        ("volumes", wanted["volume"], lambda rest, own: [*rest, own]),
    )
    for field, own, arranged in orders:
        found = pod.get(field)
        given: list[Any] = found if isinstance(found, list) else []
        rest = [one for one in given if not is_ours(one)]
        if own is None or any(spec.part(one).get("name") == own["name"] for one in rest):
            continue  # somebody has the reserved name: the rules say so
        if (new := arranged(rest, own)) != given:
            patch.append({"op": "add", "path": f"{path}/spec/{field}", "value": new})
    meta = spec.part(template, "metadata")
    annotations = spec.part(meta, "annotations")
    if wanted["resumes"] and annotations.get(RESUMES) != wanted["resumes"]:
        value = {**meta, "annotations": {**annotations, RESUMES: wanted["resumes"]}}
        patch.append({"op": "add", "path": f"{path}/metadata", "value": value})
    return patch


def _field(where: str, key: str) -> Object:
    return {"fieldRef": {"fieldPath": f"metadata.{where}['{key}']"}}


def _guaranteed(containers: Any) -> bool:
    """Whether all of them have limits for cpu and memory: then ours must have them too, or the pod's class is lost."""
    found = containers if isinstance(containers, list) else []
    limits = [spec.part(one, "resources", "limits") for one in found]
    return bool(limits) and all({"cpu", "memory"} <= one.keys() for one in limits)
