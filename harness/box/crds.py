"""Custom resource definitions: there before anything looks for them.

kube-controller-manager learns of a kind that appears after its own start only half a minute later, and until then does
not clean up what objects of that kind own. So a box gets the definitions of its integration into its snapshot of etcd,
where they cost nothing; `ensure` is for clusters that came up without them, and does nothing where they are.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import yaml

from harness.box.api import Api, Object
from harness.core.errors import ApiError, HarnessError
from harness.core.kinds import CRD
from harness.core.waiting import until

TIMEOUT = 60.0  # seconds; eleven large ones took 5 s on a quiet machine and 25 s beside a build
_NAME = re.compile(r"^metadata:\n(?:  .*\n|\n)*?  name: (\S+)$", re.MULTILINE)


def name_of(path: Path) -> str:
    """The name of the definition in a file, without parsing its thousands of lines."""
    names = _NAME.findall(path.read_text(encoding="utf-8"))
    if len(names) != 1:
        raise HarnessError(f"{path} must hold exactly one CustomResourceDefinition; found {len(names)}")
    return str(names[0])


def ensure(api: Api, paths: Sequence[Path], timeout: float = TIMEOUT) -> None:
    """Create the definitions that are missing and return when all are served."""
    paths_by_name = {name_of(path): path for path in paths}
    late = {name: path for name, path in paths_by_name.items() if not served(api, name)}
    deadline = time.monotonic() + timeout
    for path in late.values():
        try:
            api.request("POST", CRD.path(), read(path))
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise
    for name in late:
        until(partial(served, api, name), max(0.0, deadline - time.monotonic()), f"{name} is served")


def served(api: Api, name: str) -> bool:
    """Whether the API server offers the kind of the definition called PLURAL.GROUP; it does once it is established.

    The kinds of a group need not have a version in common, so every version of it is looked at.
    """
    plural, _, group = name.partition(".")
    try:
        versions = [entry["groupVersion"] for entry in api.request("GET", f"/apis/{group}")["versions"]]
        resources = [kind for version in versions for kind in api.request("GET", f"/apis/{version}")["resources"]]
    except ApiError as error:
        if error.status == 404:
            return False
        raise
    return any(resource["name"] == plural for resource in resources)


def read(path: Path) -> Object:
    """The definition as it can be created: some projects ship theirs with an empty status, which is refused."""
    obj: Object = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    obj.pop("status", None)
    return obj
