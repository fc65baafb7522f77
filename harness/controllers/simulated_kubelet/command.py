"""What the waiting container of a pod runs: its command with its variables, and its volumes as folders of the host.

There is no image. A program is taken from the host, so a container needs a command of its own, and what only its image
has is not there: such a container cannot start, which its status says. Volumes other than ConfigMaps are empty folders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from harness.controllers.jobset_barrier.spec import INIT
from harness.controllers.runtime.client import Object
from harness.controllers.simulated_kubelet.containers import Launch

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
FIELD = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]")
REFERENCE = re.compile(r"\$(\$|\([^()]*\))")

FindConfigMap = Callable[[str], Object | None]


class CannotStart(Exception):
    """The container asks for something that is not simulated, or that cannot be."""


def waiting_container(pod: Object) -> Object:
    """The init container that holds a pod at the barrier."""
    containers: list[Object] = pod["spec"]["initContainers"]
    return next(container for container in containers if container["name"] == INIT)


def missing(pod: Object, find: FindConfigMap) -> list[str]:
    """The ConfigMaps without which a kubelet does not start the waiting container."""
    container = waiting_container(pod)
    sources = [volume["configMap"] for volume in pod["spec"].get("volumes") or () if "configMap" in volume]
    sources += [variable["valueFrom"].get("configMapKeyRef", {}) for variable in _from_elsewhere(container)]
    sources += [source.get("configMapRef", {}) for source in container.get("envFrom") or ()]
    return [
        source["name"] for source in sources if source and not source.get("optional") and find(source["name"]) is None
    ]


def config_maps(pod: Object) -> set[str]:
    """The ConfigMaps that the pod mounts."""
    return {volume["configMap"]["name"] for volume in pod["spec"].get("volumes") or () if "configMap" in volume}


def launch(pod: Object, folder: Path, find: FindConfigMap, *, private: bool) -> Launch:
    """What to run in this folder. Without a private root, mount paths in the command become paths of the folder."""
    container = waiting_container(pod)
    command = container.get("command") or []
    if not command:
        raise CannotStart("it has no command: the one of its image is unknown where no images are run")
    env = {"PATH": PATH, "HOME": "/", "HOSTNAME": pod["metadata"]["name"], **_variables(pod, container, find)}
    argv = [expand(word, env) for word in [*command, *(container.get("args") or [])]]
    mounts = _mounts(container, folder)
    if not private:
        argv = [_inside(word, mounts) for word in argv]
        env = {name: value if name == "PATH" else _inside(value, mounts) for name, value in env.items()}
    return Launch(argv, env, folder, mounts, container.get("workingDir", ""))


def expand(text: str, env: Mapping[str, str]) -> str:
    """The text with $(NAME) replaced by known variables and $$ by a dollar sign, as Kubernetes does it."""

    def replaced(match: re.Match[str]) -> str:
        word = match.group(1)
        return "$" if word == "$" else env.get(word[1:-1], match.group(0))

    return REFERENCE.sub(replaced, text)


def _variables(pod: Object, container: Object, find: FindConfigMap) -> dict[str, str]:
    env: dict[str, str] = {}
    for source in container.get("envFrom") or ():
        if "configMapRef" not in source:
            raise CannotStart("its environment comes from something else than a ConfigMap")
        content = (find(source["configMapRef"]["name"]) or {}).get("data") or {}
        env |= {f"{source.get('prefix', '')}{key}": value for key, value in content.items()}
    for variable in container.get("env") or ():
        if "valueFrom" not in variable:
            env[variable["name"]] = expand(variable.get("value") or "", env)
        elif (value := _value(pod, variable, find)) is not None:
            env[variable["name"]] = value
    return env


def _value(pod: Object, variable: Object, find: FindConfigMap) -> str | None:
    source = variable["valueFrom"]
    if "fieldRef" in source:
        return _field(pod, source["fieldRef"]["fieldPath"])
    if "configMapKeyRef" in source:
        reference = source["configMapKeyRef"]
        value = ((find(reference["name"]) or {}).get("data") or {}).get(reference["key"])
        if value is None and not reference.get("optional"):
            raise CannotStart(f"ConfigMap {reference['name']} has no key {reference['key']}")
        return value if value is None else str(value)
    raise CannotStart(f"variable {variable['name']} comes from {next(iter(source))}, which is not simulated")


def _field(pod: Object, path: str) -> str:
    if match := FIELD.fullmatch(path):
        return str((pod["metadata"].get(match.group(1)) or {}).get(match.group(2), ""))
    value: object = pod
    for step in path.split("."):
        value = value.get(step, "") if isinstance(value, dict) else ""
    if not isinstance(value, str):
        raise CannotStart(f"the field {path} is not simulated")
    return value


def _mounts(container: Object, folder: Path) -> list[tuple[str, str]]:
    mounts = []
    for mount in container.get("volumeMounts") or ():
        if mount.get("subPath") or mount.get("subPathExpr"):
            raise CannotStart(f"volume {mount['name']} is mounted with a subPath, which is not simulated")
        mounts.append((str(volume_folder(folder, mount["name"])), mount["mountPath"].rstrip("/") or "/"))
    return mounts


def volume_folder(folder: Path, volume: str) -> Path:
    return folder / "volumes" / volume


def _inside(text: str, mounts: Sequence[tuple[str, str]]) -> str:
    """The text with mount paths replaced, where each stands as a whole path or begins one."""
    for source, path in sorted(mounts, key=lambda mount: -len(mount[1])):
        text = re.sub(rf"(?<![\w./-]){re.escape(path)}(?![\w.-])", lambda _, path=source: path, text)  # type: ignore[misc]
    return text


def _from_elsewhere(container: Object) -> list[Object]:
    return [variable for variable in container.get("env") or () if "valueFrom" in variable]
