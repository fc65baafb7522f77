"""Leaders that are nowhere yet are no reason to act; nor are those of a JobSet that asks for nothing."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "No signal MUST be given while no leader of a JobSet is placed, though others get theirs.",
    clauses=["BAR-12"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_no_signal_before_a_leader_is_placed(world: World) -> None:
    world.nodes(1, gpus=1)
    nowhere = BarrierSet(world, "nowhere", ReplicatedJob(pods=2, gpus=4)).submit()
    assert nowhere.has_its_config_map()
    placed = BarrierSet(world, "placed", ReplicatedJob()).submit()
    assert placed.is_released()
    assert nowhere.is_held()
    world.nodes(2, gpus=4, name="large")
    assert nowhere.is_released()
