"""What `muster doctor` finds in a cluster that is already there: what can be judged, and what prevents the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.adapters import adapter, names
from harness.adapters.common.base import Adapter, features_of
from harness.box.api import Api
from harness.box.existing import removal, survey
from harness.box.existing.access import check_reachable, clock_skew, read_access
from harness.box.existing.rights import BASIC, missing, of_gangs
from harness.box.minor import minors
from harness.cli.cluster import TAINT, queue_kinds
from harness.core.catalogue.cases import PROFILES
from harness.core.text import counted
from harness.runner.collect import collect_cases
from harness.testbed.discover import absent, facts_of, schedulers_of, served, unasked
from harness.testbed.testbed import forbidden

GRANT = "Have them granted: muster cluster role --integration"
MOST_SKEW = 5.0  # seconds between two clocks that do no harm: times of a history are ours alone


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
        observations += [*_integrations(api, kubernetes, programs), *_rights(api, kubernetes)]
    observations += [Observation("note", False, False, text) for text in survey.remarks(api, programs, TAINT)]
    return observations


def _clock(api: Api) -> Observation:
    skew = clock_skew(api)
    text = "the API server does not tell its time" if skew is None else f"{skew:+.0f} s from ours"
    return Observation("clock", skew is None or abs(skew) <= MOST_SKEW, False, text, "Have both clocks set by NTP.")


def _leftovers(api: Api, path: Path, context: str) -> Observation:
    count = len(removal.leftovers(api, kinds=queue_kinds()))
    text = f"{counted(count, 'object')} of runs" if count else "none"
    advice = f"If no run is on: muster clean --kubeconfig {path} --context {context}"
    return Observation("left by runs", not count, False, text, advice)


def _integrations(api: Api, kubernetes: str, programs: list[survey.Program]) -> Iterator[Observation]:
    """Each scheduler: its API, its programs, their versions, and what can be judged of it."""
    for name in names():
        integration = adapter(name)
        if not integration.images:
            continue
        schedulers = schedulers_of(integration, programs)
        if reason := absent(integration, api, kubernetes, schedulers):
            yield Observation(name, False, False, f"not installed: {reason}")
            continue
        places = ", ".join(f"{program.address} ({program.image})" for program in schedulers)
        sources = facts_of(integration, api, kubernetes, schedulers)
        facts = [f"{what} {value}" for values in sources.values() for what, value in values.items()]
        detail = f"scheduler {integration.scheduler}: {places or 'not seen among the workloads of the cluster'}"
        yield Observation(name, True, False, "; ".join([detail, *facts]))
        yield from _profiles(integration, kubernetes, schedulers)


def _profiles(integration: Adapter, kubernetes: str, schedulers: list[survey.Program]) -> Iterator[Observation]:
    """How much of each profile can be judged, and why not the rest."""
    version = next((program.version for program in schedulers if program.version), "")
    features = features_of(integration, kubernetes, version)
    reasons = unasked(integration, schedulers, frozenset())
    counts: list[str] = []
    for profile in PROFILES:
        asked = [
            case
            for case in collect_cases()
            if case.profile == profile and not case.unmet(integration.title, features, kubernetes)
        ]
        refusals = Counter(reason for case in asked if (reason := forbidden(case, reasons)))
        if asked:
            counts.append(f"{profile} {len(asked) - refusals.total()} of {len(asked)}")
        for reason, count in refusals.items():
            option = re.search(r"--disrupt \w+", reason)
            why = f"without {option.group()}" if option else f"here: {reason}"
            yield Observation(integration.name, False, False, f"{profile}: {counted(count, 'case')} cannot run {why}")
    yield Observation(integration.name, True, False, f"cases that can be judged: {', '.join(counts)}")


def _rights(api: Api, kubernetes: str) -> Iterator[Observation]:
    """Those that every run needs, and integrations of which the user may not make gangs."""
    lacking = missing(api, BASIC)
    text = f"missing: {'; '.join(lacking)}" if lacking else "all that every run needs"
    yield Observation("rights", not lacking, True, text, f"{GRANT} NAME")
    for integration in (each for each in map(adapter, names()) if each.images):
        if lacking := missing(api, of_gangs(served(integration, api, kubernetes))):
            text = f"missing for {integration.name}: {'; '.join(lacking)}"
            yield Observation("rights", False, False, text, f"{GRANT} {integration.name}")
