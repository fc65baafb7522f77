"""The public surface is what it says it is, and cases use nothing else of the core."""

import harness
from harness.cases.world import World

PUBLIC = ["EmbeddedBox", "Gang", "KindBox", "Outcome", "Pool", "Role", "Taint", "Verdict", "World", "case"]


def test_exactly_these_names_are_public():
    assert dir(harness) == PUBLIC


def test_everything_exported_can_be_had():
    for name in PUBLIC:
        assert getattr(harness, name) is not None


def test_the_language_of_cases_stays_small():
    methods = [name for name in vars(World) if not name.startswith("_")]

    assert len(methods) <= 20, "what few cases need is a word of a part of the world, such as world.cluster"
