"""The gang was satisfied in the eyes of a scheduler that is no more; its successor sees one pod that is no quorum."""

from harness import Gang, World, case


@case(
    "A replacement MUST be bound into its running gang also after a restart of the scheduler.",
    clauses=["GANG-14", "GANG-16", "WL-78", "KOORD-33", "KOORD-35"],
    needs=["restart-safe"],
    disturbs="scheduler",
)
def test_replacement_after_a_restart_joins_the_running_gang(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("running", size=4, gpus=2))
    assert gang.is_bound_whole()
    world.faults.restart("scheduler")
    gang.delete("running-0")
    assert gang.is_gone("running-0")

    gang.create_again("running-0", suffix="-again")

    assert gang.is_bound_whole()
