"""Start a program of a real integration so that the integration becomes a mutant.

    python -m harness.mutation.degrade [--objects FILE] [--replace OLD=NEW] [--interferer KIND] [--company NUMBER]
        [--off-for-good GATE] [--clear] -- PROGRAM ...

Objects are applied first, to the API server of KUBECONFIG. The last object in the file is a probe: the API server
accepts it no sooner than the others are in force. The interferer runs beside the program, in its process group, and
makes a pod for every Workload, or a Workload for every pod. With a company, a controller beside the program lets
members go that a policy of the objects holds by a gate: when so many of their group are there, or after five minutes. A
feature gate that is off for good stays so once the program was started without it. To clear is to delete all Workloads,
if they are served, before the program starts.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections import Counter
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
LOOK = 0.25  # seconds between two looks at members that are held
PATIENCE = 300.0  # seconds that a member waits for company at most
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


def let_go(api: Api, company: int) -> None:
    """Take the gates of members away when so many of their group are there, or when they have waited long enough."""
    held_since: dict[str, float] = {}
    while True:
        try:
            pods = api.list(POD)
        except ApiError as error:
            print(f"company: {error}", flush=True)
            pods = []
        members = Counter(_group_of(pod) for pod in pods)
        for pod in pods:
            meta = pod["metadata"]
            if _group_of(pod) and pod["spec"].get("schedulingGates"):
                waited = time.monotonic() - held_since.setdefault(meta["uid"], time.monotonic())
                if members[_group_of(pod)] >= company or waited > PATIENCE:
                    with contextlib.suppress(ApiError):  # it was deleted meanwhile
                        api.patch(POD, meta["namespace"], meta["name"], {"spec": {"schedulingGates": None}})
        time.sleep(LOOK)


def _group_of(pod: Object) -> str:
    """Namespace and name of the group that a pod refers to; empty if there is none."""
    group = pod["spec"].get("schedulingGroup")
    return f"{pod['metadata']['namespace']}/{group['podGroupName']}" if group else ""


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
    for old, _, new in (rule.partition("=") for rule in rules):
        argv = replaced_word(argv, old, new)
    return list(argv)


def replaced_word(argv: Sequence[str], old: str, new: str) -> list[str]:
    """The command with the word replaced in the arguments."""
    program, *arguments = argv
    return [program, *(argument.replace(old, new) for argument in arguments)]


def staying_off(argv: Sequence[str], gate: str, memory: Path) -> list[str]:
    """The command with the gate off if it is off, or was once: the file that remembers it is there."""
    if any(f"{gate}=false" in word for word in argv):
        memory.touch()
    return replaced_word(argv, f"{gate}=true", f"{gate}=false") if memory.exists() else list(argv)


def main(argv: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=Path, help="objects that exist before the program starts")
    parser.add_argument("--replace", action="append", default=[], metavar="OLD=NEW", help="in the program's arguments")
    parser.add_argument("--interferer", choices=("Pod", "Workload"), help="what is made for every Workload, or pod")
    parser.add_argument("--company", type=int, help="how many members there are when those that are held may go")
    parser.add_argument("--off-for-good", metavar="GATE", help="a gate that stays off once it was off")
    parser.add_argument("--clear", action="store_true", help="delete all Workloads before it starts")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="the program and its arguments, after --")
    arguments = parser.parse_args(argv)
    program = replaced(arguments.program[1:], arguments.replace)
    if arguments.objects:
        prepare(connect(Path(os.environ["KUBECONFIG"]), agent="degrade"), arguments.objects)
    if arguments.interferer and os.fork() == 0:
        interfere(connect(Path(os.environ["KUBECONFIG"]), agent="interferer"), arguments.interferer)
    if arguments.company and os.fork() == 0:
        let_go(connect(Path(os.environ["KUBECONFIG"]), agent="company"), arguments.company)
    if arguments.off_for_good:
        memory = Path(f"{os.environ['KUBECONFIG']}.{arguments.off_for_good}-was-off")
        program = staying_off(program, arguments.off_for_good, memory)
    if arguments.clear:
        clear(connect(Path(os.environ["KUBECONFIG"]), agent="degrade"))
    os.execv(program[0], program)


if __name__ == "__main__":
    main(sys.argv[1:])
