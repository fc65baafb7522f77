"""The barrier is opt-in: a JobSet without it is what it was. A later JobSet shows that the controller is at work."""

from harness.barriers import INIT, BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "A JobSet that asks for no barrier MUST start at once, with nothing added to it and no ConfigMap.",
    clauses=["BAR-01"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_jobset_that_asks_for_nothing_starts_at_once(world: World) -> None:
    world.nodes(1, gpus=3)
    plain = BarrierSet(world, "plain", ReplicatedJob(pods=4), asks=False).submit()
    assert world.sees("the pods that have room run without the others", lambda: len(plain.running()) == 3)
    assert world.claim("nothing was added to its pods", not [
        pod for pod in plain.pods() if INIT in str(pod["spec"]) or plain.signal_map in str(pod["spec"])
    ])  # fmt: skip

    asks = BarrierSet(world, "asks", ReplicatedJob(gpus=0)).submit()
    assert asks.is_released()
    assert world.claim("a JobSet that does not ask has no ConfigMap", not plain.config_map())
