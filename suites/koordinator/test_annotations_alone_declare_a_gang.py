"""No object, no controller: the pods say themselves what they belong to and how many must start.

The first gang leaves room for one member of the second, which must not be taken.
"""

from harness import Gang, World, case


@case(
    "A gang declared by annotations of its pods alone MUST be bound whole if it fits and not at all if it does not.",
    clauses=["KOORD-03", "KOORD-06", "GANG-01", "GANG-02"],
    needs=["annotations"],
)
def test_annotations_alone_declare_a_gang(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("light", size=3, gpus=2, style="annotations"))
    assert gang.is_bound_whole()
    second = world.submit(Gang("second", size=4, gpus=2, style="annotations"))
    assert second.is_refused()
    assert second.stays_pending()
    gang.delete()

    assert second.is_bound_whole()
