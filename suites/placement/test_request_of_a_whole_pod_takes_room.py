"""A pod can request resources as a whole, for its containers to share; that is what its node must have."""

from harness.cases.language import Gang, Object, World, case


def shares(pod: Object) -> None:
    pod["spec"]["resources"] = {"requests": {"cpu": "3"}, "limits": {"cpu": "3"}}


@case(
    "What a pod requests as a whole MUST count for a gang as it does for any pod.",
    clauses=["GANG-02", "GANG-04", "GANG-42"],
    level="extended",
)
def test_request_of_a_whole_pod_takes_room(world: World) -> None:
    world.nodes(2, gpus=8, cpu="4")
    gang = world.submit(Gang("sharing", size=3, gpus=1), alter=shares)
    assert gang.is_refused()
    assert gang.stays_pending()

    world.nodes(1, gpus=8, cpu="4")

    assert gang.is_bound_whole()
