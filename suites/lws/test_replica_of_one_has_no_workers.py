"""A leader alone is a replica, too. There is nobody to wait for, and nothing to make workers of."""

from harness.cases.language import LWS, World, case


@case(
    "A replica of size one MUST have a group with a minimum of one, and no StatefulSet of workers.",
    clauses=["LWS-40"],
    needs=["lws-group-object"],
)
def test_replica_of_one_has_no_workers(world: World) -> None:
    world.nodes(1, gpus=2)

    live = world.submit(LWS(replicas=2, size=1))

    assert live.has_groups()
    assert live.is_bound_whole()
    minima = [live.group(index)["spec"]["minMember"] for index in range(2)]
    assert world.claim("the minimum of each group is one", minima == [1, 1], f"they are {minima}")
    assert world.sees("both replicas are ready", lambda: live.stored()["status"]["readyReplicas"] == 2)
    sets = [obj["metadata"]["name"] for obj in world.objects.all_of(("apps/v1", "StatefulSet"))]
    assert world.claim("there is one StatefulSet, of leaders", sets == ["serve"], f"found: {sets}")
