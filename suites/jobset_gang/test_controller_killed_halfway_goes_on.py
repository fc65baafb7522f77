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
    jobset = world.submit(JobSet(ReplicatedJob("worker", replicas=2, pods=2), mode=GANG))
    assert jobset.has_pods(4)
    assert jobset.must_stay_unbound()
    world.faults.kill("controller")
    jobset.gang.lift()
    world.api_server.allow_groups()

    world.faults.restart("controller")
    assert jobset.is_prepared()
    assert jobset.is_bound_whole("reconnected")
