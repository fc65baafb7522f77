"""Leaders that are nowhere yet are no reason to act; nor are those of a JobSet that asks for nothing."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "No signal MUST be given while no leader of a JobSet is placed, though others get theirs.",
    clauses=["BAR-12"],
)
def test_no_signal_before_a_leader_is_placed(world: World) -> None:
    world.nodes(1, gpus=1)
    nowhere = world.submit(BarrierJobSet(ReplicatedJob(pods=2, gpus=4), name="nowhere"))
    assert world.sees("the ConfigMap of nowhere is made", nowhere.config_map, least=1)
    placed = world.submit(BarrierJobSet(ReplicatedJob(), name="placed"))
    assert placed.has_passed()
    assert nowhere.is_held()
    world.nodes(2, gpus=4, name="large")
    assert nowhere.has_passed()
