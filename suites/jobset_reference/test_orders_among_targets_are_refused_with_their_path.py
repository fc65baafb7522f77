"""dependsOn came to JobSets after the design; it is an order like the other one, and the same deadlock."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "Targets that depend on each other SHOULD be refused as those that start in order are, with their field path.",
    clauses=["REF-08"],
    needs=["jobset-barrier"],
)
def test_orders_among_targets_are_refused_with_their_path(world: World) -> None:
    jobs = ReplicatedJob("first"), ReplicatedJob("second"), ReplicatedJob("third")
    order = 'spec.startupPolicy.startupPolicyOrder: Invalid value: "InOrder"'
    every = world.objects.of(BarrierJobSet(*jobs, name="every", in_order=True))[0]
    assert world.objects.rejects(every, "in order, with a barrier over all", mention=order)

    chain = (
        ReplicatedJob("first"),
        ReplicatedJob("second", after="first", status="Ready"),
        ReplicatedJob("third", after="second", status="Ready"),
    )
    path = "spec.replicatedJobs[2].dependsOn: Forbidden"
    through = world.objects.of(BarrierJobSet(*chain, name="through", targets=["first", "third"]))[0]
    assert world.objects.rejects(through, "the last target depends on the first by way of another job", mention=path)
    apart = world.objects.of(BarrierJobSet(*chain, name="apart", targets=["second"], suspended=True))[0]
    assert world.objects.accepts(apart, "a single target may depend on others")
