"""Several models train side by side, each in a Job replica of its own: whole each, but independent of one another."""

from harness.case import case
from harness.jobsets import REPLICATED, job, submit
from harness.world import World


@case(
    "A job whose replicas are gangs MUST get one group with the pods of one replica, and pods MUST name their replica.",
    clauses=["JSG-02", "JSG-15", "JSG-16", "JSG-17", "JSG-19", "JSG-36"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_replica_gangs_share_a_group(world: World) -> None:
    world.nodes(2, gpus=4)
    live = submit(world, job("worker", replicas=3, pods=2, mode=REPLICATED))
    assert live.is_prepared()
    for gang in live.gangs.values():
        assert gang.is_bound_whole()

    names = [one["metadata"]["name"] for one in live.workloads()]
    assert world.claim("there is one Workload", names == ["w-train"], str(names))
    groups = live.groups()
    assert world.claim(
        "its group has the pods of a replica", groups == {"pg-worker": {"gang": {"minCount": 2}}}, str(groups)
    )
    for index in range(3):
        said = live.references("worker", index)
        own = live.reference("pg-worker", f"pg-train.worker.{index}", str(index))
        assert world.claim(f"pods of replica {index} name the group and that replica", said == [own], str(said))
