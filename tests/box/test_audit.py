"""The audit log is read line by line and as far as it is whole; a file that was replaced is no evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.box.audit import AuditLog
from harness.core.errors import HarnessError


def event(number: int, namespace: str = "ns", resource: str = "pods") -> dict[str, Any]:
    return {"auditID": str(number), "objectRef": {"resource": resource, "namespace": namespace}}


def append(path: Path, *events: dict[str, Any], rest: str = "") -> None:
    with path.open("a") as file:
        file.write("".join(json.dumps(item, separators=(",", ":")) + "\n" for item in events) + rest)


def ids(events: Any) -> list[str]:
    return [item["auditID"] for item in events]


def test_events_are_divided_where_the_watches_caught_up(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    log = AuditLog(path)
    append(path, event(1))
    log.begin()
    append(path, event(2), event(3, "elsewhere"), event(4, resource="leases"))
    log.settle()
    append(path, event(5))
    settled, late = log.events(["ns"])
    assert (ids(settled), ids(late)) == (["2"], ["5"])
    assert ids(log.all_events()) == ["2", "3", "4", "5"]


def test_a_line_that_is_still_being_written_comes_later(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    log = AuditLog(path)
    log.begin()
    text = json.dumps(event(2), separators=(",", ":"))
    append(path, event(1), rest=text[:10])
    log.settle()
    settled, late = log.events(["ns"])
    assert (ids(settled), ids(late)) == (["1"], [])
    append(path, rest=text[10:] + "\n")
    settled, late = log.events(["ns"])
    assert (ids(settled), ids(late)) == (["1"], ["2"])


def test_without_a_file_there_are_no_events(tmp_path: Path) -> None:
    for log in (AuditLog(None), AuditLog(tmp_path / "missing")):
        log.begin()
        log.settle()
        assert [ids(part) for part in log.events(["ns"])] == [[], []]


def test_log_that_is_rotated_or_cut_is_no_evidence(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    append(path, event(1))
    log = AuditLog(path)
    log.begin()
    path.rename(tmp_path / "audit.log.1")
    append(path, event(2), event(3))
    with pytest.raises(HarnessError, match="was replaced or cut"):
        log.events(["ns"])

    log.begin()
    path.write_text("")
    with pytest.raises(HarnessError, match="was replaced or cut"):
        log.events(["ns"])
