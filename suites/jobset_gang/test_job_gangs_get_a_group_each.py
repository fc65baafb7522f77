"""Driver and workers may start apart, but each of them whole. The replicas of a job make no difference to its pods."""

from harness.case import case
from harness.jobsets import GANG, job, submit
from harness.world import World


@case(
    "Each job that asks to be a gang MUST get a group of its own with the pods of all its replicas, in one Workload.",
    clauses=["JSG-02", "JSG-13", "JSG-14", "JSG-17", "JSG-19", "JSG-36"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_job_gangs_get_a_group_each(world: World) -> None:
    world.nodes(2, gpus=4)
    driver, worker = job("driver", pods=3, mode=GANG), job("worker", replicas=2, pods=2, mode=GANG)
    live = submit(world, driver, worker)
    assert live.is_prepared()
    for gang in live.gangs.values():
        assert gang.is_bound_whole()

    names = [one["metadata"]["name"] for one in live.workloads()]
    assert world.claim("there is one Workload", names == ["w-train"], str(names))
    groups = live.groups()
    wanted = {"pg-driver": {"gang": {"minCount": 3}}, "pg-worker": {"gang": {"minCount": 4}}}
    assert world.claim("it has a group for each job, with the pods of all replicas", groups == wanted, str(groups))
    for name in ("driver", "worker"):
        said, own = live.references(name), live.reference(f"pg-{name}", f"pg-train.{name}")
        assert world.claim(f"all pods of {name} name its group and no replica", said == [own], str(said))
