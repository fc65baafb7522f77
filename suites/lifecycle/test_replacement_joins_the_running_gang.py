"""A member of a running gang is lost and comes back under another name. It is one pod and no quorum, yet it must
run."""

from harness import Gang, World, case


@case(
    "A replacement of a lost member MUST be bound into its running gang.",
    clauses=["GANG-14", "WL-45", "KOORD-33"],
)
def test_replacement_joins_the_running_gang(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("running", size=4, gpus=2))
    assert gang.is_bound_whole()
    gang.delete("running-1")
    assert gang.is_gone("running-1")

    gang.create_again("running-1", suffix="-again")

    assert gang.is_bound_whole()
    assert world.stand("the newcomer has the free place", "running-1-again", least=1)
