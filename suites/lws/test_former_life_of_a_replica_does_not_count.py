"""The old workers take their time to go, and hold their room. A new leader is not one of three because of them."""

from harness.cases.language import LWS, Object, World, case


@case(
    "A leader created again MUST NOT be bound because of workers of its former incarnation.",
    clauses=["LWS-29", "LWS-02"],
    level="extended",
)
def test_former_life_of_a_replica_does_not_count(world: World) -> None:
    def slow_to_go(obj: Object) -> None:
        world.faults.delay_deletion(obj["spec"]["leaderWorkerTemplate"]["workerTemplate"])

    world.nodes(1, gpus=3)
    lws = world.submit(LWS(size=3, leader=1), alter=slow_to_go)
    assert lws.is_bound_whole()

    lws.delete(leader=0)

    assert world.sees("the old workers are on their way", world.cluster.terminating, count=2)
    assert lws.gangs[0].must_stay_unbound()
    assert world.scheduler_is_working()
    lws.gangs[0].lift()
    world.faults.finish_deletions()
    assert lws.is_replaced()
    assert lws.is_bound_whole()
