"""How many pods are expected is arithmetic over the JobSet: replicas times pods, over the targets, and no more."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "The signal MUST wait for replicas times pods of every target, and for no pod besides.",
    clauses=["BAR-10", "BAR-14"],
)
def test_jobs_of_any_shape_are_counted_pod_by_pod(world: World) -> None:
    world.nodes(1, gpus=7)
    jobs = (
        ReplicatedJob("wide", pods=3, replicas=2),
        ReplicatedJob("narrow", pods=2),
        ReplicatedJob("none", replicas=0),
        ReplicatedJob("beside", pods=2, gpus=0, member=False),
    )
    jobset = world.submit(BarrierJobSet(*jobs, name="shapes", targets=["wide", "narrow", "none"]))
    assert jobset.has_waiting(7)
    assert jobset.stays_held()
    world.nodes(1, gpus=1, name="late")
    assert jobset.has_passed()
