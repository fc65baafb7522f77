"""Keep the GPUs of real workers: a process beside the cluster that puts them back whenever a kubelet drops them.

A kubelet reports what it finds, and finds no GPU. An amount written into the node's status stays, but a kubelet that
registers again may set it to nothing. An annotation of the node says how many it should have; this process watches.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import urllib3

from harness.box.api import Api, Object
from harness.box.connect import connect
from harness.core.errors import ApiError
from harness.core.gang import GPU
from harness.core.kinds import NODE

ANNOTATION = "muster.dev/gpus"  # how many GPUs the node should show
PAUSE = 1.0  # seconds before it asks an API server again that did not answer


def missing(node: Object) -> str:
    """How many GPUs the node should show and does not; empty if all is well."""
    expected = str((node["metadata"].get("annotations") or {}).get(ANNOTATION, ""))
    status = node.get("status") or {}
    shown = [str((status.get(part) or {}).get(GPU, "0")) for part in ("capacity", "allocatable")]
    return expected if expected and shown != [expected, expected] else ""


def mend(api: Api, node: Object) -> None:
    if gpus := missing(node):
        amount = {GPU: gpus}
        change = {"status": {"capacity": amount, "allocatable": amount}}
        api.patch(NODE, "", node["metadata"]["name"], change, subresource="status")
        print(f"{node['metadata']['name']} has {gpus} GPUs", flush=True)


def keep(api: Api) -> None:
    """Watch the nodes until this process is ended."""
    while True:
        try:
            listed = api.request("GET", NODE.path())
            for node in listed["items"]:
                mend(api, node)
            for event in api.watch(NODE, str(listed["metadata"]["resourceVersion"])):
                if event["type"] in ("ADDED", "MODIFIED"):
                    mend(api, event["object"])
                elif event["type"] == "ERROR":
                    break
        except (ApiError, urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            print(f"asking again: {error}", flush=True)
        time.sleep(PAUSE)


if __name__ == "__main__":
    keep(connect(Path(sys.argv[1]), agent="muster-gpus"))
