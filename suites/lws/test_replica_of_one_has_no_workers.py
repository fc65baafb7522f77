"""A leader alone is a replica, too. There is nobody to wait for, and nothing to make workers of."""

from harness.case import case
from harness.leaderworker import STATEFUL_SET, submit
from harness.world import World


@case(
    "A replica of size one MUST have a group with a minimum of one, and no StatefulSet of workers.",
    clauses=["LWS-40"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_replica_of_one_has_no_workers(world: World) -> None:
    world.nodes(1, gpus=2)

    live = submit(world, replicas=2, size=1)

    assert live.has_groups()
    assert live.is_placed_whole()
    minima = [live.group(index)["spec"]["minMember"] for index in range(2)]
    assert world.claim("the minimum of each group is one", minima == [1, 1], f"they are {minima}")
    assert world.sees("both replicas are ready", lambda: live.stored()["status"]["readyReplicas"] == 2)
    sets = [one["metadata"]["name"] for one in world.all_of(STATEFUL_SET)]
    assert world.claim("there is one StatefulSet, of leaders", sets == ["serve"], f"found: {sets}")
