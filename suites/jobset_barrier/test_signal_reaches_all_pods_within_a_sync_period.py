"""The price of the design: kubelets look at ConfigMaps when they sync. Nobody may wait longer than that."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "Main containers SHOULD run within a kubelet's sync period of the signal.",
    clauses=["BAR-16"], needs=["jobset-barrier"], profile="JOBSET-BARRIER", strength="SHOULD",
)  # fmt: skip
def test_signal_reaches_all_pods_within_a_sync_period(world: World) -> None:
    world.nodes(4, gpus=2)
    jobset = BarrierSet(world, "spread", ReplicatedJob(pods=4, replicas=2)).submit()
    assert jobset.is_released()
    seconds = jobset.seconds_from_signal_to_last_main()
    allowed = world.deadline("projected")
    assert world.claim("all main containers run in time", seconds <= allowed, f"{seconds:.2f} s after the signal")
