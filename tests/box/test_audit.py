"""The audit log: what belongs to a case, and a file that is not the one any more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.box.audit import AuditLog
from harness.core.errors import HarnessError


def add(path: Path, *names: str, end: str = "\n") -> None:
    with path.open("a") as file:
        for name in names:
            file.write(json.dumps({"name": name}) + end)


def test_events_of_a_case_are_split_where_the_watches_had_caught_up(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    add(path, "before")
    log = AuditLog(path)
    log.begin()
    add(path, "settled")
    log.settle()
    add(path, "late")
    add(path, "half", end="")

    settled, late = log.events()

    assert [event["name"] for event in settled] == ["settled"]
    assert [event["name"] for event in late] == ["late"]


def test_log_that_is_rotated_or_cut_is_no_evidence(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    add(path, "before")
    log = AuditLog(path)
    log.begin()
    path.rename(tmp_path / "audit.log.1")
    add(path, "after", "and", "more")
    with pytest.raises(HarnessError, match="was replaced or cut"):
        log.events()

    log.begin()
    path.write_text("")
    with pytest.raises(HarnessError, match="was replaced or cut"):
        log.events()


def test_without_a_log_there_are_no_events() -> None:
    log = AuditLog(None)
    log.begin()

    assert log.events() == ([], [])
    assert not log.is_there
