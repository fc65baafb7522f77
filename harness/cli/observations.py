"""What `muster doctor` finds in a cluster that is already there: what can be judged, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.adapters import adapter, names
from harness.box.api import Api
from harness.box.existing import removal, survey
from harness.box.existing.access import check_reachable, clock_skew, read_access
from harness.box.existing.rights import missing, needed
from harness.box.minor import minors
from harness.cli.cluster import EXAMPLE
from harness.core.text import counted
from harness.testbed.discover import served

MOST_SKEW = 5.0  # seconds between two clocks that nobody minds: times of a history are ours alone


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing that was looked at."""

    what: str
    ok: bool
    needed: bool  # muster cannot work without it
    detail: str
    advice: str = ""


def look_at_cluster(kubeconfig: Path, context: str) -> list[Observation]:
    """Everything that can be known about the cluster without changing it."""
    access = read_access(kubeconfig, context)
    api = access.connect()
    kubernetes = check_reachable(api, access)
    is_known = ".".join(kubernetes.split(".")[:2]) in minors()
    programs = survey.programs(api)
    observations = [
        Observation("cluster", True, True, f"{access.context} ({access.server})"),
        Observation("kubernetes", is_known, True, kubernetes, f"muster knows the minors {', '.join(minors())}."),
        Observation("nodes", True, False, str(survey.node_count(api))),
        _clock(api),
        _leftovers(api, access.path, access.context),
    ]
    if is_known:
        observations += [*_integrations(api, kubernetes, programs), _rights(api, kubernetes)]
    observations += [Observation("note", False, False, text) for text in survey.remarks(api, programs, EXAMPLE.taint)]
    return observations


def _clock(api: Api) -> Observation:
    skew = clock_skew(api)
    text = "the API server does not tell its time" if skew is None else f"{skew:+.0f} s from ours"
    return Observation("clock", skew is None or abs(skew) <= MOST_SKEW, False, text, "Have both clocks set by NTP.")


def _leftovers(api: Api, path: Path, context: str) -> Observation:
    count = len(removal.leftovers(api))
    text = f"{counted(count, 'object')} of runs" if count else "none"
    advice = f"If no run is on: muster clean --kubeconfig {path} --context {context}"
    return Observation("left by runs", not count, False, text, advice)


def _integrations(api: Api, kubernetes: str, programs: list[survey.Program]) -> Iterator[Observation]:
    """Each integration: its API, its programs, their versions."""
    for name in names():
        integration = adapter(name)
        groups = integration.groups(kubernetes)
        if not groups or not integration.images:
            continue
        kinds = served(integration, api, kubernetes)
        schedulers = survey.matching(programs, integration.images.get("scheduler", ""))
        places = ", ".join(f"{program.address} ({program.image})" for program in schedulers)
        detail = f"scheduler {integration.scheduler}: {places or 'not seen among the workloads of the cluster'}"
        absent = f"not installed: no {groups[0].kind} of {groups[0].api_version} is served"
        is_there = len(kinds) == len(groups)
        yield Observation(name, is_there, False, detail if is_there else absent)


def _rights(api: Api, kubernetes: str) -> Observation:
    judged = [integration for integration in map(adapter, names()) if integration.images]
    kinds = [kind for integration in judged for kind in served(integration, api, kubernetes)]
    lacking = missing(api, needed(kinds))
    text = f"missing: {'; '.join(lacking)}" if lacking else "all that a run needs"
    return Observation("rights", not lacking, True, text, "Have them granted: muster cluster role --integration NAME")
