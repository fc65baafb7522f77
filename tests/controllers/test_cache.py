"""A watch that fails is tried again after a pause, whatever the error says of itself."""

from __future__ import annotations

import logging

import pytest
from kubernetes.informer import ERROR

from harness.controllers.runtime import cache
from harness.controllers.runtime.cache import Cache
from harness.core.kinds import POD


@pytest.mark.parametrize(
    ("error", "message"),
    [(OSError("gone\nfor good"), "gone"), (TimeoutError(), "TimeoutError()")],
    ids=["text", "none"],
)
def test_a_lost_watch_is_logged_in_one_line_and_waits(
    error: Exception, message: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cache, "PAUSE_AFTER_ERROR", 0.0)
    watching = Cache(None)  # type: ignore[arg-type]
    watching.watch(POD, lambda pod: (), lambda key: None)
    (store,) = watching._stores.values()
    waited = []
    monkeypatch.setattr(store._stopped, "wait", waited.append)

    with caplog.at_level(logging.WARNING):
        store.informer._fire(ERROR, error)

    assert [record.message for record in caplog.records] == [f"watch of pods was lost: {message}"]
    assert waited == [0.0]
