"""Most sinners among controllers wait for `make prove`: all of them take a quarter of an hour, the chief ones less."""

from __future__ import annotations

from pathlib import Path

import pytest

CHIEF = {
    "test_barrier_in_a_box.py": {"one-pod-early", "never-resets", "owned-by-nobody"},
    "test_jobset_gang_in_a_box.py": {"no-owner", "counts-one-replica", "overwrites-the-user"},
    "test_lws_in_a_box.py": {"owned-by-nobody", "makes-it-once", "one-short"},
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        chief = CHIEF.get(Path(item.fspath).name)
        if chief is None or not isinstance(item, pytest.Function):
            continue
        sin = getattr(item, "callspec", None) and item.callspec.params.get("sin")
        wanted = sin is not None and sin["name"] in chief and "yunikorn" not in item.name
        of_all = item.originalname.startswith(("test_sin_is_caught", "test_honest"))
        if of_all and not wanted:
            item.add_marker(pytest.mark.thorough)
