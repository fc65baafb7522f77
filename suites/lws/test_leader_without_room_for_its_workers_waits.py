"""The leader asks for next to nothing and comes first; yet it is of no use without its workers."""

from harness.cases.language import LWS, World, case


@case(
    "A leader that fits while its workers do not MUST NOT be bound.",
    clauses=["LWS-03", "LWS-02"],
)
def test_leader_without_room_for_its_workers_waits(world: World) -> None:
    world.nodes(1, gpus=2)

    live = world.submit(LWS(size=3, gpus=2, leader=0))

    assert live.is_complete()
    (gang,) = live.gangs
    assert gang.is_refused()
    assert gang.stays_pending()
