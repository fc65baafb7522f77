"""`world.submit` refuses options that have no effect on a workload; nothing is created then."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from harness.cases.language import LWS, Job, World


@pytest.mark.parametrize(
    ("workload", "options", "message"),
    [
        (Job("train", 2), {"alter": print}, "submit has no alter for Job train; allowed: none"),
        (Job("train", 2), {"without": "group", "objects": [{}]}, "no without, objects for Job train"),
        (LWS("serve"), {"without": "group"}, "no without for LWS serve; allowed: alter, objects"),
    ],
)
def test_an_option_without_effect_is_refused(workload: object, options: dict[str, object], message: str) -> None:
    world, world_context = World.__new__(World), Mock()
    world.context, world.namespace = world_context, "ns"
    with pytest.raises(TypeError, match=message):
        world.submit(workload, **options)
    assert not world_context.mock_calls
