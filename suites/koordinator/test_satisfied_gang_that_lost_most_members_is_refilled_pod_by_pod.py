"""The gang had started, so it is over: of five members that were lost two come back, and there is room for one."""

from harness import Gang, World, case


@case(
    "New members of a gang that has started and lost most others MUST be bound like any pods, as far as there is room.",
    clauses=["KOORD-33"],
    needs=["match-policy"],
)
def test_satisfied_gang_that_lost_most_members_is_refilled_pod_by_pod(world: World) -> None:
    world.nodes(1, gpus=6)
    style = None if world.has_feature("refills-singly") else "once-satisfied"
    gang = world.submit(Gang("over", size=6, style=style))
    assert gang.is_bound_whole()
    lost = [f"over-{number}" for number in range(1, 6)]
    gang.delete(*lost)
    assert gang.is_gone(*lost)
    single = world.pod(gpus=4)
    assert world.is_bound(single)

    gang.create_again("over-1", "over-2")

    assert world.stand("the gang has one member more", gang, least=2, most=2, deadline="bound")
    assert world.scheduler_is_working()
    assert world.stand("there is no room for another", gang, least=2, most=2)
    world.delete(single)
    assert world.stand("the other follows when there is room", gang, least=3, most=3, deadline="bound")
