"""Many objects at once, in a real API server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from harness.box.bulk import create_many, encoded
from harness.box.embedded.box import EmbeddedBox
from harness.box.existing.ownership import RUN_LABEL, OwnedApi, Ownership
from harness.core.errors import ApiError
from harness.core.kinds import CONFIG_MAP


@pytest.fixture(scope="module")
def box() -> Iterator[EmbeddedBox]:
    with EmbeddedBox(scheduler=False, watch_cache=True, audit_calls=True) as running:
        yield running


def note(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}


def test_batches_are_created_in_order_and_side_by_side(box: EmbeddedBox) -> None:
    batches = [[encoded(box.api, note(f"n-{number}-{part}")) for part in range(3)] for number in range(40)]
    begun: list[int] = []
    create_many(box.api, batches, before=begun.append)
    objects = {obj["metadata"]["name"]: obj["metadata"] for obj in box.api.list(CONFIG_MAP, "default")}
    assert sorted(begun) == list(range(40))
    for number in range(40):
        revisions = [int(objects[f"n-{number}-{part}"]["resourceVersion"]) for part in range(3)]
        assert revisions == sorted(revisions)
    versions, revision = box.api.versions(CONFIG_MAP)
    assert versions.items() >= {(meta["uid"], int(meta["resourceVersion"])) for meta in objects.values()}
    assert revision >= max(versions.values())


def test_an_error_ends_it_and_is_told(box: EmbeddedBox) -> None:
    bad = encoded(box.api, note("Not A Name"))
    left = iter([[bad]] * 1000)
    with pytest.raises(ApiError, match="Not A Name"):
        create_many(box.api, left)
    assert len(list(left)) > 900
    assert not [thread for thread in threading.enumerate() if thread.name == "create" and thread.is_alive()]


def test_a_client_of_somebodys_cluster_marks_them_as_its_own(box: EmbeddedBox) -> None:
    api = OwnedApi(box.server, box.api.context, dict, Ownership("r1"))
    create_many(api, [[encoded(api, note("marked"))]])
    assert box.api.get(CONFIG_MAP, "default", "marked")["metadata"]["labels"][RUN_LABEL] == "r1"
