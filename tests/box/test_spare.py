"""A spare box is there when it is asked for, and gone when nobody wants it."""

from pathlib import Path

import pytest

from harness.box import registry
from harness.box.embedded import EmbeddedBox
from harness.box.nodes import Pool
from harness.box.spare import Spare
from harness.core.errors import UsageError


def test_each_take_gives_another_running_box_and_the_last_spare_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with Spare(lambda: EmbeddedBox(nodes=[Pool(1)])) as spare:
        first = spare.take()
        second = spare.take()
        assert first.name != second.name
        assert first.api.request("GET", "/readyz")["text"] == "ok"
        assert second.api.request("GET", "/readyz")["text"] == "ok"
        first.stop()
        second.stop()

    assert registry.running() == []


def test_a_spare_that_cannot_start_says_so_when_it_is_taken():
    with Spare(lambda: EmbeddedBox(gates={"NoSuchGate": True})) as spare, pytest.raises(UsageError, match="NoSuchGate"):
        spare.take()
