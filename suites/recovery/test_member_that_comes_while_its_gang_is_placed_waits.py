"""The scheduler stands still in the middle of the binds, and a further member is created meanwhile. It must not
overtake those that its gang needs to start."""

from harness import Gang, World, case


@case(
    "A member that comes while its gang is being placed MUST NOT be bound before the quorum is.",
    clauses=["GANG-03", "WL-46"],
    needs=["quorum"],
    level="extended",
    disturbs="scheduler",
)
def test_member_that_comes_while_its_gang_is_placed_waits(world: World) -> None:
    world.nodes(6, gpus=8)
    gang = world.submit(Gang("growing", size=41, quorum=40, gpus=1, missing=1))
    assert gang.is_being_bound()
    world.faults.pause("scheduler")
    gang.create_missing()
    world.faults.resume("scheduler")

    assert gang.is_bound_whole()
    late = world.objects.first_revision("Pod", "growing-40", "bound")
    others = sorted(world.objects.first_revision("Pod", f"growing-{n}", "bound") for n in range(40))
    assert world.claim("the quorum was bound first", others[-1] < late, f"revision {late}, the quorum: {others[-1]}")
