"""The old workers take their time to go, and hold their room. A new leader is not one of three because of them."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import CLING, Object, World


@case(
    "A leader made anew MUST NOT be bound on the strength of workers of its former life.",
    clauses=["LWS-29", "LWS-02"],
    needs=["leader-worker-set"],
    profile="LWS",
    level="extended",
)
def test_former_life_of_a_replica_does_not_count(world: World) -> None:
    def slow_to_go(obj: Object) -> None:
        template = obj["spec"]["leaderWorkerTemplate"]["workerTemplate"]
        template["metadata"]["finalizers"] = [CLING]

    world.nodes(1, gpus=3)
    live = submit(world, size=3, leader=1, alter=slow_to_go)
    assert live.is_placed_whole()

    old = live.lose_leader()

    assert world.sees("the old workers are on their way", lambda: len(world.leaving()) == 2)
    assert live.gangs[0].stays_unbound()
    assert world.passes()
    world.lift(live.gangs[0])
    world.let_go()
    assert live.is_made_anew(old)
    assert live.is_placed_whole()
