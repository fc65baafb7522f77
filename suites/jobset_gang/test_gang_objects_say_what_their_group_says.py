"""Where gangs are objects the scheduler looks at nothing else: what the Workload says must be said there again."""

from harness.case import case
from harness.jobsets import GANG, REPLICATED, job, submit
from harness.world import World


@case(
    "Each gang of a JobSet MUST have an object of its own with the minimum of its group, owned by the JobSet.",
    clauses=["JSG-10", "JSG-13", "JSG-15", "JSG-36"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
    kubernetes=">=1.36",
)
def test_gang_objects_say_what_their_group_says(world: World) -> None:
    world.nodes(2, gpus=4)
    live = submit(world, job("driver", pods=3, mode=GANG), job("worker", replicas=2, pods=2, mode=REPLICATED))
    whole = submit(world, job("only", pods=1), name="whole", mode=GANG)
    assert live.is_prepared()
    assert whole.is_prepared()

    found = {name: spec["schedulingPolicy"] for name, spec in (live.objects() | whole.objects()).items()}
    wanted = {"pg-train.driver": 3, "pg-train.worker.0": 2, "pg-train.worker.1": 2, "pg-whole": 1}
    same = found == {name: {"gang": {"minCount": count}} for name, count in wanted.items()}
    assert world.claim("a JobSet or job that is a gang has one object, replicas have one each", same, str(found))
    for one in (live, whole):
        owners = one.owners()
        mine = all(uids == [one.object["metadata"]["uid"]] for uids in owners.values())
        assert world.claim(f"the gang objects of JobSet {one.name} belong to it", mine, str(owners))
