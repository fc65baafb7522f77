"""The garbage collector is busy: what belonged to the old JobSet is still there when the new one of its name comes."""

from harness.case import case
from harness.jobset_faults import go_on_cleaning, stop_cleaning
from harness.jobsets import GANG, REPLICATED, job, submit
from harness.world import World


@case(
    "A JobSet that is created again MUST NOT take over what is left of an earlier one of its name.",
    clauses=["JSG-34"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
    level="extended",
    disruptive=True,
)
def test_recreated_jobset_does_not_take_over_the_old_gang(world: World) -> None:
    world.nodes(1, gpus=8)
    old = submit(world, job("driver", pods=1, mode=GANG), job(pods=1, mode=REPLICATED))
    for gang in old.gangs.values():
        assert gang.is_bound_whole()
    stop_cleaning(world)
    old.remove()
    new = submit(world, job("driver", pods=2, mode=GANG), job(pods=3, mode=REPLICATED))
    later = submit(world, job(pods=1), name="later", mode=GANG)
    assert later.is_prepared()
    go_on_cleaning(world)

    for gang in new.gangs.values():
        assert gang.is_bound_whole("reconnected")
    groups = new.groups()
    wanted = {"pg-driver": {"gang": {"minCount": 2}}, "pg-worker": {"gang": {"minCount": 3}}}
    assert world.claim("its groups have the new sizes", groups == wanted, str(groups))
    if not new.native.inline:
        found = {name: spec["schedulingPolicy"] for name, spec in new.objects().items()}
        sizes = {"pg-train.driver": wanted["pg-driver"], "pg-train.worker.0": wanted["pg-worker"]}
        assert world.claim("its gang objects have the new sizes", found == sizes, str(found))
