"""Start a program of a real integration with a handicap, so that the integration becomes a control.

    python handicapped.py [--objects FILE] [--meddler] -- PROGRAM ARGUMENT...

Objects are applied first, to the API server of KUBECONFIG. The last one in the file is only tried out: it is something
that the API server accepts no sooner than the others are in force. The meddler runs beside the program, in its process
group, and makes a pod for every Workload it sees.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import time
from pathlib import Path

import yaml

from harness.box.api import Api, Resource
from harness.box.connect import connect
from harness.core.errors import ApiError

POLL = 0.05  # seconds between two tries
WORKLOAD = Resource("scheduling.k8s.io/v1beta1", "Workload", "workloads", True)


def prepare(api: Api, file: Path) -> None:
    """Apply the objects and wait until they are in force."""
    *objects, probe = yaml.safe_load_all(file.read_text(encoding="utf-8"))
    for obj in objects:
        api.apply(obj)
    while True:
        try:
            api.create(probe, dryRun="All")
            return
        except ApiError as error:
            print(f"not in force yet: {error.message}", flush=True)
            time.sleep(POLL)


def meddle(api: Api) -> None:
    """Make a pod for every Workload, for ever; it goes with the Workload."""
    while True:
        try:
            for event in api.watch(WORKLOAD, "0"):
                if event["type"] == "ADDED":
                    with contextlib.suppress(ApiError):  # it was told of before, or its namespace goes
                        make_pod(api, event["object"]["metadata"])
        except ApiError as error:
            print(f"the meddler: {error}", flush=True)
            time.sleep(POLL)


def make_pod(api: Api, owner: dict[str, str]) -> None:
    reference = {"apiVersion": WORKLOAD.api_version, "kind": "Workload", "name": owner["name"], "uid": owner["uid"]}
    meta = {"name": f"{owner['name']}-uncalled", "namespace": owner["namespace"], "ownerReferences": [reference]}
    spec = {"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10"}]}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--objects", type=Path, help="objects that are there before the program")
parser.add_argument("--meddler", action="store_true", help="make a pod for every Workload beside it")
parser.add_argument("program", nargs=argparse.REMAINDER, help="the program and its arguments, after --")
arguments = parser.parse_args()
program = arguments.program[1:]
api = connect(Path(os.environ["KUBECONFIG"]), agent="handicap")
if arguments.objects:
    prepare(api, arguments.objects)
if arguments.meddler and os.fork() == 0:
    meddle(connect(Path(os.environ["KUBECONFIG"]), agent="meddler"))
os.execv(program[0], program)
