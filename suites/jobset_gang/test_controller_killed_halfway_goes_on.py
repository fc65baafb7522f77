"""The controller cannot write and is killed meanwhile. The next one finds a JobSet of which nothing is ready yet."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "A controller that was killed before a gang was ready MUST go on where it was when it is started again.",
    clauses=["JSG-01", "JSG-28"],
    level="extended",
    disturbs="control-plane",
)
def test_controller_killed_halfway_goes_on(world: World) -> None:
    world.nodes(1, gpus=4)
    assert world.api_server.refuse_groups()
    live = world.submit(JobSet(ReplicatedJob("worker", replicas=2, pods=2), mode=GANG))
    assert live.has_pods(4)
    assert live.must_stay_unbound()
    world.faults.kill("controller")
    live.gang.lift()
    world.api_server.allow_groups()

    world.faults.restart("controller")
    assert live.is_prepared()
    assert live.is_bound_whole("reconnected")
