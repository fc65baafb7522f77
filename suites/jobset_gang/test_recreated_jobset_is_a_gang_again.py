"""Deleted and created again in one breath, under the same name and with more pods. Nothing of the old may count."""

from harness.cases.language import GANG, REPLICATED, JobSet, ReplicatedJob, World, case

LEVELS = {"whole": (GANG, ""), "by-job": ("", GANG), "by-replica": ("", REPLICATED)}


@case(
    "A JobSet that is created again MUST be a gang again at each level, with a Workload of its own.",
    clauses=["JSG-34"],
)
def test_recreated_jobset_is_a_gang_again(world: World) -> None:
    world.nodes(1, gpus=6)
    for name, (whole, each) in LEVELS.items():
        old = world.submit(JobSet(ReplicatedJob("worker", replicas=2, pods=1, mode=each), name=name, mode=whole))
        assert old.is_bound_whole()
        old.delete()
        new = world.submit(JobSet(ReplicatedJob("worker", replicas=2, pods=3, mode=each), name=name, mode=whole))
        assert new.is_bound_whole()

        assert new.is_prepared()
        owners = [owner["uid"] for owner in new.workload()["metadata"].get("ownerReferences") or ()]
        assert world.finds(f"{name}: its Workload is its own", owners, equals=[new.object["metadata"]["uid"]])
        groups, size = list(new.groups().values()), 3 if each == REPLICATED else 6
        assert world.finds(f"{name}: its group has the new size", groups, equals=[{"gang": {"minCount": size}}])
        new.delete()
        assert new.is_gone()
