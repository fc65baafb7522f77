"""Start a program of a real integration so that the integration becomes a mutant.

    python -m harness.mutation.degrade [--objects FILE] [--replace OLD=NEW] [--interferer] [--clear] -- PROGRAM ...

Objects are applied first, to the API server of KUBECONFIG. The last object in the file is a probe: the API server
accepts it no sooner than the others are in force. The interferer runs beside the program, in its process group, and
makes a pod for every Workload. To clear is to delete all Workloads, if they are served, before the program starts.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import yaml

from harness.box.api import Api, Object
from harness.box.connect import connect
from harness.box.minor import default_minor, minor_of
from harness.core.errors import ApiError

POLL = 0.05  # seconds between two tries
WORKLOAD = minor_of(default_minor()).gang_api.workload


def prepare(api: Api, file: Path) -> None:
    """Apply the policies, and wait until they are in force: each of the other objects could be created then."""
    objects = list(yaml.safe_load_all(file.read_text(encoding="utf-8")))
    policies = [obj for obj in objects if obj["apiVersion"].startswith("admissionregistration.k8s.io/")]
    for obj in policies:
        api.apply(obj)
    for probe in (obj for obj in objects if obj not in policies):
        while not _can_be_created(api, probe):
            time.sleep(POLL)


def _can_be_created(api: Api, probe: Object) -> bool:
    try:
        api.create(probe, dryRun="All")
    except ApiError as error:
        print(f"not in force yet: {error.message}", flush=True)
        return False
    return True


def interfere(api: Api) -> None:
    """Make a pod for every Workload, for ever; the pod is deleted with the Workload."""
    while True:
        try:
            for event in api.watch(WORKLOAD, "0"):
                if event["type"] == "ADDED":
                    with contextlib.suppress(ApiError):  # the pod exists, or its namespace is being deleted
                        make_pod(api, event["object"]["metadata"])
        except ApiError as error:
            print(f"interferer: {error}", flush=True)
            time.sleep(POLL)


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
    reference = {"apiVersion": WORKLOAD.api_version, "kind": "Workload", "name": owner["name"], "uid": owner["uid"]}
    meta = {"name": f"{owner['name']}-uncalled", "namespace": owner["namespace"], "ownerReferences": [reference]}
    spec = {"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10"}]}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})


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
    parser.add_argument("--interferer", action="store_true", help="make a pod for every Workload beside it")
    parser.add_argument("--clear", action="store_true", help="delete all Workloads before it starts")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="the program and its arguments, after --")
    arguments = parser.parse_args(argv)
    program = replaced(arguments.program[1:], arguments.replace)
    if arguments.objects:
        prepare(connect(Path(os.environ["KUBECONFIG"]), agent="degrade"), arguments.objects)
    if arguments.interferer and os.fork() == 0:
        interfere(connect(Path(os.environ["KUBECONFIG"]), agent="interferer"))
    if arguments.clear:
        clear(connect(Path(os.environ["KUBECONFIG"]), agent="degrade"))
    os.execv(program[0], program)


if __name__ == "__main__":
    main(sys.argv[1:])
