"""Both judges look at every story that a test here tells, whatever the test itself asks of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.core.history.records import History
from harness.core.history.validate import impossible
from harness.core.oracle.checks import judge_all
from harness.core.second import disagreements

from .story import Story


@pytest.fixture(autouse=True)
def both_judges(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare the judges on each story of the test; tests of random stories compare for themselves."""
    histories: list[History] = []
    build = Story.build

    def noted(story: Story, complete: bool = True) -> History:
        histories.append(build(story, complete))
        return histories[-1]

    with pytest.MonkeyPatch.context() as patch:
        if not request.path.name.startswith("test_properties"):
            patch.setattr(Story, "build", noted)
        yield
    for history in histories:
        if impossible(history) is None:
            assert disagreements(history, judge_all(history)) == []
