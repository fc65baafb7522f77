"""Whatever becomes of the leader becomes of the group, if the leader is its owner and the one that controls it."""

from harness.case import case
from harness.leaderworker import owner, submit
from harness.world import World


@case(
    "The group of a replica MUST be owned by the leader as its controller.",
    clauses=["LWS-08"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_leader_owns_the_group(world: World) -> None:
    world.nodes(1, gpus=4)

    live = submit(world, replicas=2, size=2)

    assert live.has_groups()
    for index in range(2):
        leader, reference = live.leader(index)["metadata"], owner(live.group(index))
        wanted = ("v1", "Pod", leader["name"], leader["uid"])
        found = tuple(reference.get(key) for key in ("apiVersion", "kind", "name", "uid"))
        assert world.claim(f"leader {leader['name']} owns the group of its replica", found == wanted, f"owner: {found}")
