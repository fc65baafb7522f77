"""A sandbox costs processors beside those of the containers in it; the API server writes that into the pod."""

from harness.cases.language import Gang, Object, World, case


@case(
    "The overhead of a runtime class MUST count for a gang as it does for any pod.",
    clauses=["GANG-02", "GANG-04", "GANG-42"],
    level="extended",
)
def test_overhead_of_a_runtime_takes_room(world: World) -> None:
    runtime = world.cluster.runtime_class("sandbox", overhead={"cpu": "3"})

    def sandboxed(pod: Object) -> None:
        pod["spec"]["runtimeClassName"] = runtime

    world.nodes(2, gpus=8, cpu="4")
    gang = world.submit(Gang("boxed", size=3, gpus=1), alter=sandboxed)
    assert gang.is_refused()
    assert gang.stays_pending()

    world.nodes(1, gpus=8, cpu="4")

    assert gang.is_bound_whole()
