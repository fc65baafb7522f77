"""How a case is written: a declaration, then a test function that takes a `world`.

    @case("A gang that fits MUST be bound whole.", clauses=["WL-36"])
    def test_gang_that_fits_is_bound_whole(world):
        world.nodes(2, gpus=4)
        gang = world.submit(Gang(size=4, gpus=2))
        assert gang.is_bound_whole()

The id is the function's name; the folder is the file's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from harness.core.catalogue import Case

Test = TypeVar("Test", bound=Callable[..., Any])
MARK = "muster_case"


def case(
    sentence: str, *, clauses: Sequence[str] = (), needs: Sequence[str] = ("gang",), profile: str = "GANG-CORE",
    level: str = "core", strength: str = "MUST", disruptive: bool = False, slow: bool = False,
    kubernetes: str = "",
) -> Callable[[Test], Test]:  # fmt: skip
    """Declare the test function below to be a case of the conformance suite."""

    def declare(test: Test) -> Test:
        folder = Path(test.__code__.co_filename).parent.name
        declared = Case(
            id=test.__name__.removeprefix("test_").replace("_", "-"), sentence=sentence, folder=folder,
            clauses=tuple(clauses), needs=tuple(needs), profile=profile, level=level, strength=strength,
            disruptive=disruptive, slow=slow, kubernetes=kubernetes,
        )  # fmt: skip
        marked: Test = getattr(pytest.mark, MARK)(declared)(test)
        return marked

    return declare


def declared(item: pytest.Item) -> Case | None:
    """The declaration of a collected test; None if it is not a case."""
    mark = item.get_closest_marker(MARK)
    return mark.args[0] if mark is not None else None
