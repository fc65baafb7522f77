"""The public surface is what it says it is."""

import harness


def test_everything_exported_can_be_had():
    assert sorted(harness.__all__) == harness.__all__
    for name in harness.__all__:
        assert getattr(harness, name) is not None
