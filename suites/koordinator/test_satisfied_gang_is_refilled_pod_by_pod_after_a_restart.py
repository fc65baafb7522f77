"""The scheduler that saw the gang start is no more. Of five lost members one comes back, and its successor has to take
the gang with one bound pod for started."""

from harness import Gang, World, case


@case(
    "New members of a gang that has started and lost most others MUST be bound also after a restart of the scheduler.",
    clauses=["KOORD-33", "KOORD-35"],
    needs=["match-policy", "restart-safe"],
    level="extended",
    disturbs="scheduler",
)
def test_satisfied_gang_is_refilled_pod_by_pod_after_a_restart(world: World) -> None:
    world.nodes(1, gpus=6)
    style = None if world.has_feature("refills-singly") else "once-satisfied"
    gang = world.submit(Gang("over", size=6, style=style))
    assert gang.is_bound_whole()
    lost = [f"over-{number}" for number in range(1, 6)]
    gang.delete(*lost)
    assert gang.is_gone(*lost)
    world.faults.restart("scheduler")

    gang.create_again("over-1")

    assert world.stand("the gang has one member more", gang, least=2, most=2, deadline="reconnected")
