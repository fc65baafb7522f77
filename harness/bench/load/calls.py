"""Requests of an integration to the API server, counted from the audit log.

The API server's own metrics do not say who asked. The log does, by the name that each program gives itself. Of
kube-controller-manager only what it does to the gang's own objects counts: it looks after much else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from harness.core.oracle.replay import program

SHARED = "kube-controller-manager"
OURS = ("muster", "kwok", "kube-apiserver")  # whose creations and deletions of pods are in the log, too


def calls(events: Iterable[Mapping[str, Any]], groups: Collection[tuple[str, str]], since: float = 0.0) -> Counter[str]:
    """How many requests of each verb the integration has made since then.

    `groups` are API group and plural of the gang's own objects.
    """
    begin = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")  # as the log writes it
    counts: Counter[str] = Counter()
    for event in events:
        who = program(str(event.get("userAgent", "")))
        ref = event.get("objectRef") or {}
        about = (str(ref.get("apiGroup", "")), str(ref.get("resource", "")))
        if event.get("stage", "ResponseComplete") != "ResponseComplete" or who in OURS:
            continue
        if str(event.get("stageTimestamp", begin)) < begin:
            continue
        if who != SHARED or about in groups:
            counts[str(event.get("verb", ""))] += 1
    return counts
