"""Pod templates never change, and the barrier is in them; so the wish for it cannot change either."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "The wish for a barrier SHOULD be immutable: not to be added, changed or taken away.",
    clauses=["REF-01"],
    needs=["jobset-barrier"],
)
def test_barrier_never_changes(world: World) -> None:
    message = "field is immutable"
    with_it = world.submit(BarrierJobSet(ReplicatedJob(), name="with", timeout=60, suspended=True)).object
    without = world.submit(
        BarrierJobSet(ReplicatedJob(member=False), name="without", asks=False, suspended=True)
    ).object
    config = "groupSchedulingConfig"
    for change in ({"timeoutAfterSeconds": 61}, {"targetReplicatedJobs": ["workers"]}, None):
        assert world.objects.rejects_change(
            with_it, {"spec": {config: change}}, f"changed to {change}", mention=message
        )
    assert world.objects.rejects_change(
        without, {"spec": {config: {"timeoutAfterSeconds": 60}}}, "added", mention=message
    )
