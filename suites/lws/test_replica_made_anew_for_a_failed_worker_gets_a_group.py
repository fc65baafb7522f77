"""A container restarts, and the replica is created again from its leader on; its group is part of it."""

from harness.cases.language import LWS, World, case


@case(
    "A replica that is created again for a restarted container MUST get a new group and be bound whole.",
    clauses=["LWS-28", "LWS-29"],
    needs=["lws-group-object"],
)
def test_replica_made_anew_for_a_failed_worker_gets_a_group(world: World) -> None:
    world.nodes(1, gpus=3)
    lws = world.submit(LWS(size=3))
    assert lws.is_bound_whole()
    assert world.claim("the pods of the replica run", world.until(lws.gangs[0].running, "started") or None)
    group = lws.group()["metadata"]["uid"]

    lws.restart_container("serve-0-1")

    assert lws.is_replaced()
    assert lws.leader_owns_group()
    assert lws.is_bound_whole()
    assert world.finds("the old group is gone", lws.group_uids(), excludes=[group])
