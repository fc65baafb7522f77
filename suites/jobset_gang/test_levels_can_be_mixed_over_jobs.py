"""A driver that is one gang beside workers of which each replica is one: two levels, one JobSet, one Workload."""

from harness.case import case
from harness.jobsets import GANG, REPLICATED, job, submit
from harness.world import World


@case(
    "Jobs of one JobSet may ask for gangs of different levels and share a Workload.",
    clauses=["JSG-21", "JSG-02"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
    strength="MAY",
)
def test_levels_can_be_mixed_over_jobs(world: World) -> None:
    world.nodes(2, gpus=4)
    live = submit(world, job("driver", pods=2, mode=GANG), job("worker", replicas=2, pods=3, mode=REPLICATED))
    assert live.is_prepared()
    for gang in live.gangs.values():
        assert gang.is_bound_whole()

    names = [one["metadata"]["name"] for one in live.workloads()]
    assert world.claim("there is one Workload", names == ["w-train"], str(names))
    groups = live.groups()
    wanted = {"pg-driver": {"gang": {"minCount": 2}}, "pg-worker": {"gang": {"minCount": 3}}}
    assert world.claim("it has a group for each job", groups == wanted, str(groups))
