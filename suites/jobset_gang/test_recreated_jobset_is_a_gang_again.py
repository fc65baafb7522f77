"""Deleted and created anew in one breath, under the same name and with more pods. Nothing of the old may count."""

from harness.case import case
from harness.jobsets import GANG, REPLICATED, job, submit
from harness.world import World

LEVELS = {"whole": (GANG, ""), "by-job": ("", GANG), "by-replica": ("", REPLICATED)}


@case(
    "A JobSet that is created again MUST be a gang again at each level, with a Workload of its own.",
    clauses=["JSG-34"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_recreated_jobset_is_a_gang_again(world: World) -> None:
    world.nodes(1, gpus=6)
    for name, (whole, each) in LEVELS.items():
        old = submit(world, job(replicas=2, pods=1, mode=each), name=name, mode=whole)
        for gang in old.gangs.values():
            assert gang.is_bound_whole()
        old.remove()
        new = submit(world, job(replicas=2, pods=3, mode=each), name=name, mode=whole)
        for gang in new.gangs.values():
            assert gang.is_bound_whole()

        owner = new.workload()["metadata"]["ownerReferences"][0]["uid"]
        assert world.claim(f"the Workload of {name} is the new one's", owner == new.object["metadata"]["uid"], owner)
        sizes = [policy["gang"]["minCount"] for policy in new.groups().values()]
        assert world.claim(
            f"its group has the new size ({name})", sizes == [3 if each == REPLICATED else 6], str(sizes)
        )
        new.remove()
        assert new.is_gone()
