"""Members that are being deleted may take minutes to go. Until then they run, and yet they are no longer wanted."""

from harness import Gang, World, case


@case(
    "Members that are being deleted MUST count towards the quorum of their gang, or not, as the integration declares.",
    clauses=["GANG-44"],
    needs=["quorum"],
    either=["counts-leaving", "forgets-leaving"],
    level="extended",
)
def test_leaving_members_count_as_declared(world: World) -> None:
    world.nodes(2, gpus=3)
    gang = world.submit(Gang("elastic", size=4, quorum=3, missing=1), alter=world.faults.delay_deletion)
    assert gang.is_bound_whole()
    gang.delete("elastic-1", "elastic-2")
    leaving = world.until(lambda: len(world.cluster.terminating()) == 2, "gone")
    assert world.claim("two members are leaving", leaving or None, f"leaving: {world.cluster.terminating()}")

    gang.create_missing()

    if world.has_feature("counts-leaving"):
        assert gang.takes_in("elastic-3")
    else:
        assert gang.keeps_waiting("elastic-3")
    world.faults.finish_deletions()
