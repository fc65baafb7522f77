"""Start a program of a real integration so that the integration becomes a mutant.

    python -m harness.mutation.degrade [--objects FILE] [--replace OLD=NEW] [--interferer KIND] [--clear] -- PROGRAM ...

Objects are applied first, to the API server of KUBECONFIG. The last object in the file is a probe: the API server
accepts it no sooner than the others are in force. The interferer runs beside the program, in its process group, and
makes a pod for every Workload, or a Workload for every pod. To clear is to delete all Workloads, if they are served,
before the program starts.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import yaml

from harness.box.api import Api, Object
from harness.box.connect import connect
from harness.box.minor import default_minor, minor_of
from harness.core.errors import ApiError
from harness.core.kinds import POD, Kind
from harness.core.waiting import until

PAUSE = 0.05  # seconds until a watch that broke is opened again
IN_FORCE = 60.0  # seconds until a policy is in force; the API server reads them within a second or two
WORKLOAD = minor_of(default_minor()).gang_api.workload


def prepare(api: Api, file: Path) -> None:
    """Apply the policies, and wait until they are in force: each of the other objects could be created then."""
    objects = list(yaml.safe_load_all(file.read_text(encoding="utf-8")))
    policies = [obj for obj in objects if obj["apiVersion"].startswith("admissionregistration.k8s.io/")]
    for obj in policies:
        api.apply(obj)
    for probe in (obj for obj in objects if obj not in policies):
        until(partial(_can_be_created, api, probe), IN_FORCE, f"{probe['kind']} can be created under the policies")


def _can_be_created(api: Api, probe: Object) -> bool:
    try:
        api.create(probe, dryRun="All")
    except ApiError as error:
        print(f"not in force yet: {error.message}", flush=True)
        return False
    return True


def interfere(api: Api, kind: str) -> None:
    """Make a pod for every Workload, or a Workload for every pod, for ever; it is deleted with what it was made for."""
    watched, make = (WORKLOAD, make_pod) if kind == "Pod" else (POD, make_workload)
    while True:
        try:
            for event in api.watch(watched, "0"):
                if event["type"] == "ADDED":
                    with contextlib.suppress(ApiError):  # it exists, or its namespace is being deleted
                        make(api, event["object"]["metadata"])
        except ApiError as error:
            print(f"interferer: {error}", flush=True)
            time.sleep(PAUSE)


def clear(api: Api) -> None:
    """Delete all Workloads; there are none where the API server does not serve them."""
    try:
        stored = api.request("GET", WORKLOAD.path())["items"]
    except ApiError as error:
        if error.status != 404:
            raise
        return
    for workload in stored:
        meta = workload["metadata"]
        api.delete(WORKLOAD, meta["namespace"], meta["name"])


def make_pod(api: Api, owner: dict[str, str]) -> None:
    spec = {"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10"}]}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": _uncalled(WORKLOAD, owner), "spec": spec})


def make_workload(api: Api, owner: dict[str, str]) -> None:
    groups = [{"name": "members", "schedulingPolicy": {"basic": {}}}]
    meta, spec = _uncalled(POD, owner), {"podGroupTemplates": groups}
    api.create({"apiVersion": WORKLOAD.api_version, "kind": WORKLOAD.kind, "metadata": meta, "spec": spec})


def _uncalled(kind: Kind, owner: dict[str, str]) -> Object:
    reference = {"apiVersion": kind.api_version, "kind": kind.kind, "name": owner["name"], "uid": owner["uid"]}
    return {"name": f"{owner['name']}-uncalled", "namespace": owner["namespace"], "ownerReferences": [reference]}


def replaced(argv: Sequence[str], rules: Sequence[str]) -> list[str]:
    """The command with every OLD of the rules OLD=NEW replaced by its NEW in the arguments."""
    program, *arguments = argv
    for old, _, new in (rule.partition("=") for rule in rules):
        arguments = [word.replace(old, new) for word in arguments]
    return [program, *arguments]


def main(argv: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=Path, help="objects that exist before the program starts")
    parser.add_argument("--replace", action="append", default=[], metavar="OLD=NEW", help="in the program's arguments")
    parser.add_argument("--interferer", choices=("Pod", "Workload"), help="what is made for every Workload, or pod")
    parser.add_argument("--clear", action="store_true", help="delete all Workloads before it starts")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="the program and its arguments, after --")
    arguments = parser.parse_args(argv)
    program = replaced(arguments.program[1:], arguments.replace)
    if arguments.objects:
        prepare(connect(Path(os.environ["KUBECONFIG"]), agent="degrade"), arguments.objects)
    if arguments.interferer and os.fork() == 0:
        interfere(connect(Path(os.environ["KUBECONFIG"]), agent="interferer"), arguments.interferer)
    if arguments.clear:
        clear(connect(Path(os.environ["KUBECONFIG"]), agent="degrade"))
    os.execv(program[0], program)


if __name__ == "__main__":
    main(sys.argv[1:])
