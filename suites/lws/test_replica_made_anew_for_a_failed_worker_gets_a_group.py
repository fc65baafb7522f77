"""A container restarts, and the replica is made anew from its leader on; its group is part of it."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_faults import fail
from harness.world import World


@case(
    "A replica that is made anew for a restarted container MUST get a new group and be bound whole.",
    clauses=["LWS-28", "LWS-29"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_replica_made_anew_for_a_failed_worker_gets_a_group(world: World) -> None:
    world.nodes(1, gpus=3)
    live = submit(world, size=3)
    assert live.is_placed_whole()
    assert world.until(live.gangs[0].running, "started")
    group = live.group()["metadata"]["uid"]

    old = fail(live, "serve-0-1")

    assert live.is_made_anew(old)
    assert live.leads_its_group()
    assert live.is_placed_whole()
    assert world.claim("the old group is gone", group not in live.group_uids())
