"""A taint with NoExecute evicts what runs, and so keeps off what does not run yet."""

from harness import Gang, Taint, World, case

LEAVING = Taint("example.com/maintenance", effect="NoExecute")


@case(
    "A gang without the toleration MUST NOT use a node with a NoExecute taint, not even for its last member.",
    clauses=["GANG-02", "GANG-11", "WL-47"],
    level="extended",
)
def test_taint_that_evicts_keeps_the_gang_off(world: World) -> None:
    world.nodes(1, gpus=4)
    world.nodes(1, gpus=4, name="maintenance", taints=[LEAVING])
    gang = world.submit(Gang("steady", size=3, gpus=2))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.nodes(1, gpus=4)

    assert gang.is_bound_whole()
