"""The garbage collector is busy: what belonged to the old JobSet is still there when the new one of its name comes."""

from harness.cases.language import GANG, REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "A JobSet that is created again MUST NOT take over what is left of an earlier one of its name.",
    clauses=["JSG-34"],
    level="extended",
    disturbs="control-plane",
)
def test_recreated_jobset_does_not_take_over_the_old_gang(world: World) -> None:
    world.nodes(1, gpus=8)
    old = world.submit(
        JobSet(ReplicatedJob("driver", pods=1, mode=GANG), ReplicatedJob("worker", pods=1, mode=REPLICATED))
    )
    assert old.is_bound_whole()
    world.faults.pause("kube-controller-manager")
    old.delete()
    new = world.submit(
        JobSet(ReplicatedJob("driver", pods=2, mode=GANG), ReplicatedJob("worker", pods=3, mode=REPLICATED))
    )
    later = world.submit(JobSet(ReplicatedJob("worker", pods=1), name="later", mode=GANG))
    assert later.is_prepared()
    world.faults.resume("kube-controller-manager")

    assert new.is_bound_whole("reconnected")
    groups = new.groups()
    expected = {"pg-driver": {"gang": {"minCount": 2}}, "pg-worker": {"gang": {"minCount": 3}}}
    assert world.finds("its groups have the new sizes", groups, equals=expected)
    if not new.native.inline:
        policies = {
            group: [obj["spec"]["schedulingPolicy"] for obj in new.instances(group).values()] for group in expected
        }
        sizes = {group: [policy] for group, policy in expected.items()}
        assert world.finds("its gang objects have the new sizes", policies, equals=sizes)
