"""The total number is for the rounds of a strict gang. It neither raises the minimum nor lowers it, be it stated by the
object or by the pods, and be it larger than the number of pods or smaller than the minimum."""

from harness import Gang, World, case


@case(
    "Whatever total number a gang states, it MUST start with its minimum, and MUST NOT with less.",
    clauses=["KOORD-10", "KOORD-17", "KOORD-49"],
    needs=["quorum", "annotations", "stated-size"],
    level="extended",
)
def test_gang_starts_with_its_minimum_whatever_total_it_states(world: World) -> None:
    world.nodes(2, gpus=8)
    large = Gang("large", size=6, quorum=3, missing=3, stated_size=6)
    small = Gang("small", size=4, quorum=3, missing=2, stated_size=1)

    for style in (None, "annotations"):
        name = style or "object"
        started = world.submit(large.but(name=f"large-{name}", style=style))
        assert started.is_bound_whole()
        waiting = world.submit(small.but(name=f"small-{name}", style=style))
        assert waiting.stays_pending()
        waiting.create_missing(1)
        assert waiting.is_bound_whole()
