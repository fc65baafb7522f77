"""The scheduler reads the gang's object, not the Workload: both must say the same."""

from harness.cases.language import GANG, REPLICATED, JobSet, ReplicatedJob, World, case, owner


@case(
    "Each gang of a JobSet MUST have an object of its own with the minimum of its group, owned by the JobSet.",
    clauses=["JSG-10", "JSG-13", "JSG-15", "JSG-36"],
    kubernetes=">=1.36",
)
def test_gang_objects_say_what_their_group_says(world: World) -> None:
    world.nodes(2, gpus=4)
    split = world.submit(
        JobSet(ReplicatedJob("driver", pods=3, mode=GANG), ReplicatedJob("worker", replicas=2, pods=2, mode=REPLICATED))
    )
    whole = world.submit(JobSet(ReplicatedJob("only", pods=1), name="whole", mode=GANG))
    for jobset, group, minima in ((split, "pg-driver", [3]), (split, "pg-worker", [2, 2]), (whole, "pg-whole", [1])):
        assert jobset.is_prepared()
        objects = jobset.instances(group)
        policies = [obj["spec"]["schedulingPolicy"] for obj in objects.values()]
        expected = [{"gang": {"minCount": minimum}} for minimum in minima]
        assert world.finds(f"group {group} has its gangs, with its minimum", policies, equals=expected)
        owners, uid = {owner(obj).get("uid") for obj in objects.values()}, jobset.object["metadata"]["uid"]
        assert world.finds(f"the gang objects of {group} belong to its JobSet", owners, equals={uid})
