"""Two replicas, room for one and a half of them. One starts whole, the other waits whole."""

from harness.case import case
from harness.jobsets import REPLICATED, job, submit
from harness.world import World


@case(
    "With room for one replica of a job whose replicas are gangs, exactly one MUST start.",
    clauses=["JSG-30"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_room_for_one_replica_starts_one(world: World) -> None:
    world.nodes(1, gpus=3)
    live = submit(world, job(replicas=2, pods=2, mode=REPLICATED))
    assert live.has_pods(4)
    verdict, winner = world.one_of(*live.gangs.values())
    assert verdict
    (loser,) = [gang for gang in live.gangs.values() if gang is not winner]
    assert loser.is_refused()
