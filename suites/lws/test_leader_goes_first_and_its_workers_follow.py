"""Workers are made when their leader is ready. A gang that waited for them would wait for ever."""

from harness.case import case
from harness.leaderworker import LEADER_READY, submit
from harness.leaderworker_seen import first_seen, when_bound
from harness.world import World


@case(
    "With the startup policy LeaderReady the leader MUST be bound before any worker exists.",
    clauses=["LWS-23"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_leader_goes_first_and_its_workers_follow(world: World) -> None:
    world.nodes(1, gpus=4)

    live = submit(world, size=4, startup=LEADER_READY)

    assert live.is_placed_whole()
    bound, worker = when_bound(world, "serve-0"), first_seen(world, "Pod", "serve-0-1")
    detail = f"bound at revision {bound}, first worker at {worker}"
    assert world.claim("the leader was bound before a worker existed", bound < worker, detail)
