"""A leader alone is a replica, too. There is nobody to wait for, and nothing to make workers of."""

from harness.cases.language import LWS, World, case


@case(
    "A replica of size one MUST have a group with a minimum of one, and no StatefulSet of workers.",
    clauses=["LWS-40"],
    needs=["lws-group-object"],
)
def test_replica_of_one_has_no_workers(world: World) -> None:
    world.nodes(1, gpus=2)

    lws = world.submit(LWS(replicas=2, size=1))

    assert lws.has_groups()
    assert lws.is_bound_whole()
    minima = [lws.group(index)["spec"]["minMember"] for index in range(2)]
    assert world.finds("the minimum of each group is one", minima, equals=[1, 1])
    assert world.sees("both replicas are ready", lambda: lws.stored()["status"]["readyReplicas"], equals=2)
    sets = [obj["metadata"]["name"] for obj in world.objects.all_of(("apps/v1", "StatefulSet"))]
    assert world.finds("there is one StatefulSet, of leaders", sets, equals=["serve"])
