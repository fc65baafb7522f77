"""The reference scheduler of muster, and mutants of it, with which `muster prove` shows that the suite can fail.

`--set mutant=pod-by-pod` starts the mutant of that name; `--set mutant=kube-scheduler` starts Kubernetes' own scheduler
under the name of the reference scheduler, which knows nothing of these gangs. Not a scheduler for a real cluster.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from harness.adapters.common import hosting
from harness.adapters.common.base import Adapter, Claim, Edit, Installed, Object, Settings
from harness.adapters.common.render import parse, render
from harness.box.base import Box, Command
from harness.core.gang import Gang
from harness.core.kinds import CONFIG_MAP, JOB
from harness.core.labels import GANG_LABEL

NAME = "reference-scheduler"
PROGRAM = "harness.mutation.scheduler"  # a name and no import: adapters stand below mutation
LATE_MARK = ("muster.dev/timeout", "true")
POLICIES = ("only-waiting", "waiting-and-running", "once-satisfied")  # which members count; the second is the default
READY = "the first round is made"  # what the reference scheduler writes once it is at work


def install(box: Box, settings: Settings) -> Installed:
    """Start the reference scheduler or the chosen mutant as a process of the box."""
    mutant = settings.options.get("mutant", "")
    kubeconfig = box.identity(NAME)
    if mutant == "kube-scheduler":
        process = hosting.plain_scheduler(box, NAME, kubeconfig, role="scheduler")
    else:
        argv = (sys.executable, "-m", PROGRAM, *(("--mutant", mutant) if mutant else ()))
        command = Command(NAME, argv, {"KUBECONFIG": str(kubeconfig)}, role="scheduler")
        process = box.run(command, lambda: bool(box.processes[NAME].has_logged(READY)))
    process.wait_ready(hosting.START_TIMEOUT)
    return Installed(version="1", schedulers=(NAME,))


def with_wait_time(box: Box, seconds: int) -> list[str]:
    """The command line of a scheduler whose gangs wait this long if they do not say how long."""
    return [*box.processes[NAME].command.argv, f"--wait-time={seconds}"]


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    """`terms` is what the gang asks for beside its quorum, in words that a ConfigMap can hold."""
    terms = {
        "disruption": gang.disruption,
        "topology": gang.topology,
        "timeout": gang.timeout,
        "total": gang.total_gpus,
        "stated-size": gang.stated_size,
    }
    terms["style"] = "+".join(sorted(gang.styles - {"annotations", "job", "no-others"})) or None
    terms["together"] = "" if "no-others" in gang.styles else None
    apart = {role.name: role.topology for role in gang.roles if role.topology}
    terms["role-topology"] = json.dumps(apart) if apart else None
    terms["roles"] = json.dumps({role.name: role.minimum for role in gang.roles}) if gang.roles else None
    return {
        "by_annotations": "annotations" in gang.styles,
        "by_job": "job" in gang.styles,
        "terms": {term: value for term, value in terms.items() if value is not None},
        "queue": {"muster.dev/queue": gang.queue} if gang.queue else {},
        "together": together,
    }


def together(gang: Gang, namespace: str) -> str:
    """The gangs that start together; a name without a slash is in the same namespace."""
    return " ".join(name if "/" in name else f"{namespace}/{name}" for name in (gang.name, *gang.group))


def make_queue(box: Box, name: str, limits: Mapping[str, str]) -> None:
    """A queue is a ConfigMap as well: its label is its name, its data are its limits."""
    make_shared_queue(box, name, limits, "")


def make_shared_queue(box: Box, name: str, share: Mapping[str, str], cohort: str) -> None:
    """A queue whose limit is its share of what it and the other queues of the cohort may use."""
    box.api.apply(parse(render("reference/queue.yaml.j2", name=name, limits=dict(share), cohort=cohort))[0])


def read_group(obj: Object) -> tuple[str, int | None]:
    name = (obj["metadata"].get("labels") or {}).get(GANG_LABEL, "")
    if obj["kind"] == JOB.kind:
        return name, obj["spec"].get("parallelism")
    quorum = (obj.get("data") or {}).get("quorum")
    return name, int(quorum) if quorum else None


def edit_quorum(gang: Gang, quorum: int, kubernetes: str) -> Sequence[Edit]:
    return [(CONFIG_MAP, gang.name, {"data": {"quorum": str(quorum)}})]


ADAPTER = Adapter(
    name="reference",
    title="muster's reference scheduler",
    organization="muster",
    url="",
    scheduler=NAME,
    features=(
        "gang",
        "instant-refusal",
        "pod-affinity",
        "spread",
        "host-ports",
        "volumes",
        "devices",
        "quorum",
        "roles",
        "role-minima",
        "group-object",
        "group-first",
        "quorum-edit",
        "timeout",
        "timeout-fails-gang",
        "priority",
        "preemption",
        "gang-disruption",
        "queue",
        "borrowing",
        "reclaim",
        "queued-job",
        "gives-up",
        "annotations",
        "gang-group",
        "stated-size",
        "match-policy",
        "topology",
        "role-topology",
        "stale-eviction",
        "consolidation",
        "soft",
        "nonstrict",
        "queue-order",
        "timeout-marks-gang",
        "default-timeout",
        "member-priority",
        "nominates",
        "hints-at-limits",
        "restart-safe",
        "starts-anew",
        "total",
        "pod-terms",
        "tells-members",
        Claim("job-gang", source="muster's own choice: the template of a Job declares what its pods declare"),
        Claim("set-gang", source="muster's own choice: the template of a set declares what its pods declare"),
        *(
            Claim(feature, source="muster's own choice: what neither runs nor waits is no member")
            for feature in ("forgets-succeeded", "forgets-failed", "forgets-leaving", "refills-whole")
        ),
        Claim("quorum-first", source="muster's own choice: half of a gang is worth less than a whole one"),
    ),
    wait_time=with_wait_time,
    late_mark=LATE_MARK,
    styles=("annotations", "job", "nonstrict", "soft", "stale-eviction", "no-others", *POLICIES),
    install=install,
    values=values,
    groups=lambda kubernetes: (CONFIG_MAP, JOB),
    read_group=read_group,
    edit_quorum=edit_quorum,
    options={"mutant": "the mutation, as `muster prove` names it; none by default"},
    queue=make_queue,
    shared_queue=make_shared_queue,
)
