"""The public surface is what it says it is, and cases use nothing else of the core."""

import harness

PUBLIC = ["EmbeddedBox", "Gang", "KindBox", "Outcome", "Pool", "Role", "Taint", "Verdict", "World", "case"]


def test_exactly_these_names_are_public():
    assert dir(harness) == PUBLIC


def test_everything_exported_can_be_had():
    for name in PUBLIC:
        assert getattr(harness, name) is not None
