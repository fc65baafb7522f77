"""A scheduler that binds what was not given to it breaks everybody else's cluster."""

from harness.cases.language import Gang, Object, World, case


def elsewhere(pod: Object) -> None:
    pod["spec"]["schedulerName"] = "nobody"


@case(
    "A pod that names another scheduler MUST NOT be bound.",
    clauses=["GANG-12"],
)
def test_pods_for_another_scheduler_are_left_alone(world: World) -> None:
    world.nodes(1, gpus=4)

    stranger = world.pod(gpus=1, alter=elsewhere)

    assert world.stays_pending(stranger)
    assert world.submit(Gang("ours", size=2)).is_bound_whole()
