"""The price of the design: kubelets look at ConfigMaps when they sync. Nobody may wait longer than that."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "Main containers SHOULD run within a kubelet's sync period of the signal.",
    clauses=["BAR-16"],
)
def test_signal_reaches_all_pods_within_a_sync_period(world: World) -> None:
    world.nodes(4, gpus=2)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=4, replicas=2), name="spread"))
    assert jobset.has_passed()
    _, _, seconds = jobset.figures()
    allowed = world.deadline("synced")
    assert world.finds("all main containers run in time after the signal", seconds, most=allowed)
