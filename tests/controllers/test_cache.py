"""A watch that fails is tried again after a pause, whatever the error says of itself."""

from __future__ import annotations

import logging

import pytest
from kubernetes.informer import ERROR

from harness.controllers import cache
from harness.controllers.cache import Cache
from harness.controllers.client import Kind

POD = Kind("v1", "Pod", "pods")


@pytest.mark.parametrize(
    ("error", "said"), [(OSError("gone\nfor good"), "gone"), (TimeoutError(), "TimeoutError()")], ids=["words", "none"]
)
def test_a_lost_watch_is_said_in_one_line_and_waits(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cache, "PAUSE_AFTER_ERROR", 0.0)
    watching = Cache(None)  # type: ignore[arg-type]
    watching.watch(POD, lambda pod: (), lambda key: None)
    (shelf,) = watching._shelves.values()
    waited = []
    monkeypatch.setattr(shelf._stopped, "wait", waited.append)

    with caplog.at_level(logging.WARNING):
        shelf.informer._fire(ERROR, error)

    assert [record.message for record in caplog.records] == [f"watch of pods was lost: {said}"]
    assert waited == [0.0]
