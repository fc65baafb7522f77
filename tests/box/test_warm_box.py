"""A warm box is there when it is taken, and the last one is stopped."""

from pathlib import Path

import pytest

from harness.box import registry
from harness.box.embedded.box import EmbeddedBox
from harness.box.nodes import Pool
from harness.box.warm_box import WarmBox
from harness.core.errors import UsageError


def test_each_take_gives_another_box_and_the_last_one_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with WarmBox(lambda: EmbeddedBox(nodes=[Pool(1)])) as warm:
        first = warm.take()
        second = warm.take()
        assert first.name != second.name
        assert first.api.request("GET", "/readyz")["text"] == "ok"
        assert second.api.request("GET", "/readyz")["text"] == "ok"
        first.stop()
        second.stop()

    assert registry.running() == []


def test_a_box_that_cannot_start_says_so_when_it_is_taken():
    with (
        WarmBox(lambda: EmbeddedBox(gates={"NoSuchGate": True})) as warm,
        pytest.raises(UsageError, match="NoSuchGate"),
    ):
        warm.take()
