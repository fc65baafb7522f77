"""The second job of an order waits for the first to be ready, which waits at the barrier for the second."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "Starting in order with a barrier over several replicated jobs MUST be refused, with its field path.",
    clauses=["BAR-21"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_start_in_order_excludes_a_barrier_over_several_jobs(world: World) -> None:
    jobs = ReplicatedJob("first"), ReplicatedJob("second"), ReplicatedJob("third")
    order = 'spec.startupPolicy.startupPolicyOrder: Invalid value: "InOrder"'
    every = BarrierSet(world, "every", *jobs, in_order=True).object
    assert world.rejects(every, "in order, with a barrier over all", mention=order)
    two = BarrierSet(world, "two", *jobs, in_order=True, targets=["first", "third"]).object
    assert world.rejects(two, "in order, with a barrier over two of three", mention=order)

    chain = ReplicatedJob("first"), ReplicatedJob("second", depends="first"), ReplicatedJob("third", depends="second")
    path = "spec.replicatedJobs[2].dependsOn: Forbidden"
    through = BarrierSet(world, "through", *chain, targets=["first", "third"]).object
    assert world.rejects(through, "the last target depends on the first by way of another job", mention=path)
    apart = BarrierSet(world, "apart", *chain, targets=["second"], suspended=True).object
    assert world.accepts(apart, "a single target may depend on others")
