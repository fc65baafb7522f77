"""Most sinners among controllers wait for `make prove`, and so does killing controllers after every single write.

All of that takes half an hour on two cores; the chief sins take a minute or two.
"""

from __future__ import annotations

from pathlib import Path

import pytest

CHIEF = {
    "test_barrier_in_a_box.py": {"one-pod-early", "never-resets"},
    "test_jobset_gang_in_a_box.py": {"no-owner", "counts-one-replica"},
    "test_lws_in_a_box.py": {"one-short"},
}
LONG = ("test_sin_is_caught", "test_honest", "test_killed", "test_controller_killed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        chief = CHIEF.get(Path(item.fspath).name)
        if chief is None or not isinstance(item, pytest.Function):
            continue
        sin = getattr(item, "callspec", None) and item.callspec.params.get("sin")
        wanted = sin is not None and sin["name"] in chief and "yunikorn" not in item.name
        if item.originalname.startswith(LONG) and not wanted:
            item.add_marker(pytest.mark.thorough)
