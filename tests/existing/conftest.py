"""One cluster of somebody's for all tests of this folder that can share it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness import EmbeddedBox
from tests.existing.somebody import somebodys_cluster


@pytest.fixture(scope="package")
def somebody() -> Iterator[EmbeddedBox]:
    with somebodys_cluster("volcano") as box:
        yield box
