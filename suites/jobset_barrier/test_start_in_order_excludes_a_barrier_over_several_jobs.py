"""The second job of an order waits for the first to be ready, which waits at the barrier for the second."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "Starting in order with a barrier over several replicated jobs MUST be refused.",
    clauses=["BAR-21"],
)
def test_start_in_order_excludes_a_barrier_over_several_jobs(world: World) -> None:
    jobs = ReplicatedJob("first"), ReplicatedJob("second"), ReplicatedJob("third")
    every = world.objects.of(BarrierJobSet(*jobs, name="every", in_order=True))[0]
    assert world.objects.rejects(every, "in order, with a barrier over all", mention="InOrder")
    two = world.objects.of(BarrierJobSet(*jobs, name="two", in_order=True, targets=["first", "third"]))[0]
    assert world.objects.rejects(two, "in order, with a barrier over two of three", mention="InOrder")
    anyhow = world.objects.of(BarrierJobSet(*jobs, name="anyhow", suspended=True))[0]
    assert world.objects.accepts(anyhow, "a barrier over all, in any order")
