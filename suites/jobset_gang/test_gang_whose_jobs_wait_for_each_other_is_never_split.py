"""A gang whose jobs wait for each other never has all its pods. It must not start in parts for that."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "Of a gang whose jobs wait for each other nothing MUST be bound, and other JobSets MUST NOT wait for it.",
    clauses=["JSG-28", "JSG-33"],
)
def test_gang_whose_jobs_wait_for_each_other_is_never_split(world: World) -> None:
    world.nodes(1, gpus=8)
    data, train = ReplicatedJob("data", pods=2), ReplicatedJob("train", pods=2)
    after = ReplicatedJob("train", pods=2, after="data")
    depends = world.submit(JobSet(data, after, name="depends", mode=GANG))
    ordered = world.submit(JobSet(data, train, name="ordered", mode=GANG, in_order=True))
    for jobset in (depends, ordered):
        assert jobset.is_prepared()
        assert jobset.has_pods(2)
        assert jobset.must_stay_unbound()
    other = world.submit(JobSet(data, train, name="other", mode=GANG))
    assert other.is_bound_whole()
    assert world.stand("the others have no pod on a node", *depends.gangs, *ordered.gangs, most=0)
