"""The controller cannot write and is killed meanwhile. The next one finds a JobSet of which nothing is ready yet."""

from harness.case import case
from harness.jobset_faults import allow_workloads, refuse_workloads
from harness.jobsets import GANG, job, submit
from harness.world import World


@case(
    "A controller that was killed before a gang was ready MUST go on where it was when it is started again.",
    clauses=["JSG-01", "JSG-28"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
    level="extended",
    disruptive=True,
)
def test_controller_killed_halfway_goes_on(world: World) -> None:
    world.nodes(1, gpus=4)
    assert refuse_workloads(world)
    live = submit(world, job(replicas=2, pods=2), mode=GANG)
    assert live.has_pods(4)
    assert live.gang.stays_unbound()
    world.kill("controller")
    world.lift(live.gang)
    allow_workloads(world)

    world.restart("controller")
    assert live.is_prepared()
    assert live.gang.is_bound_whole("reconnected")
