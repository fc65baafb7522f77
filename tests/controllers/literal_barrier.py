"""A second implementation of KEP-498, written from the design alone: nothing of it is taken from the reference.

It does what the design says and no more: a bash loop waits for a file, a shared ConfigMap that is empty at first is
mounted as an optional volume, and once all pods have started it gets some arbitrary data. Names of the ConfigMap, the
volume, the path and the file are its own. The suite must accept it. With `--verbatim` the loop is the one that the
design prints, which knows no timeout: the suite must not accept that.

Run with the flags of the reference controller, as `muster run --binary jobset-barrier.controller=PATH` would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from harness.controllers.runtime.admission import Answer, FieldError, Handler, Review
from harness.controllers.runtime.cache import Cache, key_of
from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.command import run_options, service_options
from harness.controllers.runtime.queue import Key
from harness.controllers.runtime.service import Watch, serve
from harness.core.kinds import CONFIG_MAP, JOBSET, POD

INIT = "group-scheduling-init"  # the one name that the design reserves
SET, JOB, UID, RESTART = (
    f"jobset.sigs.k8s.io/{name}" for name in ("jobset-name", "replicatedjob-name", "jobset-uid", "restart-attempt")
)
FOLDER = "/var/run/together"
LOOP = f"""
while [ ! -e {FOLDER}/everybody-$SET-$RUN ]; do
  if [[ -n "$LIMIT" && $SECONDS -gt $LIMIT ]]; then exit 3; fi
  sleep 0.5
done
"""
VERBATIM = f"while true; do if [ -f {FOLDER}/everybody-$SET-$RUN ]; then break; fi; sleep 1; done"


class Literal:
    name = "literal-barrier"

    def __init__(self, client: Client, cache: Cache, script: str) -> None:
        self.client, self.cache, self.script = client, cache, script

    @property
    def watches(self) -> Sequence[Watch]:
        return (
            Watch(JOBSET, lambda jobset: [key_of(jobset)]),
            Watch(POD, lambda pod: [(pod["metadata"]["namespace"], pod["metadata"]["labels"][SET])], selector=SET),
            Watch(CONFIG_MAP, lambda obj: [(obj["metadata"]["namespace"], obj["metadata"]["labels"][SET])], SET),
        )

    @property
    def admission(self) -> Mapping[str, Handler]:
        return {"/mutate": self.mutate, "/validate": self.validate}

    def mutate(self, review: Review) -> Answer:
        if review.old_object is not None:
            return Answer()
        patch: list[Object] = []
        for index, job in targets(review.object):
            path = f"/spec/replicatedJobs/{index}/template/spec/template/spec"
            pod = job["template"]["spec"]["template"]["spec"]
            volume = {"name": "together", "configMap": {"name": shared(review.object), "optional": True}}
            inits = [*(pod.get("initContainers") or []), self.container(review.object)]
            patch += [
                {"op": "add", "path": f"{path}/initContainers", "value": inits},
                {"op": "add", "path": f"{path}/volumes", "value": [*(pod.get("volumes") or []), volume]},
            ]
        return Answer(patch=patch)

    def container(self, jobset: Object) -> Object:
        limit = jobset["spec"]["groupSchedulingConfig"].get("timeoutAfterSeconds")
        labels = {"SET": UID, "RUN": RESTART}
        env: list[Object] = [
            {"name": name, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{label}']"}}}
            for name, label in labels.items()
        ]
        return {
            "name": INIT,
            "image": "bash",
            "command": ["bash", "-c", self.script],
            "env": [*env, {"name": "LIMIT", "value": "" if limit is None else str(limit)}],
            "volumeMounts": [{"name": "together", "mountPath": FOLDER}],
        }

    def validate(self, review: Review) -> Answer:
        jobset, errors = review.object, []
        spanned = list(targets(jobset))
        order = (jobset["spec"].get("startupPolicy") or {}).get("startupPolicyOrder")
        if order == "InOrder" and len(spanned) > 1:
            errors.append(
                FieldError.forbidden("spec.startupPolicy", "InOrder excludes group scheduling of several jobs")
            )
        for index, job in spanned:
            names = [container["name"] for container in job["template"]["spec"]["template"]["spec"]["containers"]]
            if INIT in names:
                errors.append(FieldError.forbidden(f"spec.replicatedJobs[{index}]", f"a container is called {INIT}"))
        return Answer(errors=errors)

    def reconcile(self, key: Key) -> float | None:
        jobset = self.cache.get(JOBSET, *key)
        if jobset is None or not list(targets(jobset)) or jobset["metadata"].get("deletionTimestamp"):
            return None
        config_map = self.client.get(CONFIG_MAP, key[0], shared(jobset))
        if config_map is None:
            self.client.create(CONFIG_MAP, self.empty(jobset))
            return 0.0
        meta = jobset["metadata"]
        if config_map["metadata"]["ownerReferences"][0]["uid"] != meta["uid"]:
            return 0.5  # of a former JobSet of this name: it goes
        run = str((jobset.get("status") or {}).get("restarts") or 0)
        file, data = f"everybody-{meta['uid']}-{run}", config_map.get("data") or {}
        suspended = bool(jobset["spec"].get("suspend"))
        open_now = not suspended and (file in data or self.started(jobset, run) >= expected(jobset))
        content = {file: "some arbitrary data"} if open_now else {}
        if content != data:
            version = config_map["metadata"]["resourceVersion"]
            change = {"metadata": {"resourceVersion": version}, "data": content or None}
            self.client.patch(CONFIG_MAP, key[0], shared(jobset), change)
        return None if open_now or suspended else 1.0

    def started(self, jobset: Object, run: str) -> int:
        names = {job["name"] for _, job in targets(jobset)}
        pods = [pod for pod in self.cache.of(POD, key_of(jobset)) if pod["metadata"]["labels"].get(RESTART) == run]
        return sum(
            pod["metadata"]["labels"].get(JOB) in names
            and pod["metadata"]["labels"].get(UID) == jobset["metadata"]["uid"]
            and not pod["metadata"].get("deletionTimestamp")
            and runs(pod)
            for pod in pods
        )

    def empty(self, jobset: Object) -> Object:
        meta = jobset["metadata"]
        owner = {"apiVersion": JOBSET.api_version, "kind": "JobSet", "name": meta["name"], "uid": meta["uid"]}
        labels = {SET: meta["name"]}
        return {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": shared(jobset),
                "namespace": meta["namespace"],
                "labels": labels,
                "ownerReferences": [owner],
            },
        }


def targets(jobset: Object) -> list[tuple[int, Object]]:
    """The replicated jobs that wait, with their places; an empty list of targets means all."""
    config = jobset["spec"].get("groupSchedulingConfig")
    if config is None:
        return []
    named = config.get("targetReplicatedJobs") or []
    jobs = enumerate(jobset["spec"]["replicatedJobs"])
    return [(index, job) for index, job in jobs if not named or job["name"] in named]


def expected(jobset: Object) -> int:
    return sum(job.get("replicas", 1) * job["template"]["spec"].get("parallelism", 1) for _, job in targets(jobset))


def shared(jobset: Object) -> str:
    return f"together.{jobset['metadata']['name']}"


def runs(pod: Object) -> bool:
    statuses = (pod.get("status") or {}).get("initContainerStatuses") or ()
    return any(status["name"] == INIT and "running" in status["state"] for status in statuses)


@click.command(help=__doc__)
@run_options
@click.option("--init-image", default="bash")
@click.option("--verbatim", is_flag=True, help="Wait by the loop that the design prints.")
def main(init_image: str, verbatim: bool, **options: Any) -> None:
    script = VERBATIM if verbatim else LOOP
    serve(lambda client, cache: Literal(client, cache, script), service_options(**options))


if __name__ == "__main__":
    main()
