"""The design's own example of gangs that start apart writes an empty text where a list of gangs could be."""

from harness import Gang, World, case


@case(
    "A gang with an empty list of gangs to start with MUST be bound whole if it fits, whatever becomes of others.",
    clauses=["KOORD-08", "KOORD-32"],
    needs=["gang-group", "annotations"],
)
def test_empty_list_of_gangs_names_no_others(world: World) -> None:
    world.nodes(2, gpus=4)
    giant = world.submit(Gang("giant", size=2, gpus=8, style="no-others"))
    assert giant.is_refused()

    for name, style in (("by-object", "no-others"), ("by-pods", "annotations+no-others")):
        small = world.submit(Gang(name, size=2, gpus=2, style=style))
        assert small.is_bound_whole()

    assert giant.stays_pending()
