"""The plainest request: all pods of the JobSet are one gang, though its jobs differ. Everything else varies this."""

from harness.case import case
from harness.jobsets import GANG, job, submit
from harness.world import World


@case(
    "A JobSet that asks to be a gang MUST get one Workload with one group of all its pods, and every pod names it.",
    clauses=["JSG-01", "JSG-02", "JSG-10", "JSG-11", "JSG-12", "JSG-17", "JSG-18", "JSG-19", "JSG-36"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_jobset_gang_gets_one_workload(world: World) -> None:
    world.nodes(2, gpus=4)
    live = submit(world, job("driver", pods=1), job("worker", replicas=2, pods=3), mode=GANG)
    assert live.is_prepared()
    assert live.gang.is_bound_whole()

    names = [one["metadata"]["name"] for one in live.workloads()]
    assert world.claim("there is one Workload, called after the JobSet", names == ["w-train"], str(names))
    groups, wanted = live.groups(), {"pg-train": {"gang": {"minCount": 7}}}
    assert world.claim("it has one group, a gang of all seven pods", groups == wanted, str(groups))
    back, jobset = live.workload()["spec"].get("controllerRef"), {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet"}
    assert world.claim("it points back to the JobSet", back == {**jobset, "name": "train"}, str(back))
    said = live.references()
    assert world.claim("every pod names that group", said == [live.reference("pg-train", "pg-train")], str(said))
