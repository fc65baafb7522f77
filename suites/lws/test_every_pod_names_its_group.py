"""A scheduler knows a gang by what its pods say. All of a replica say the same, and what they name is there."""

from harness.cases.language import LWS, World, case


@case(
    "Every pod of a replica MUST name the replica's group in the way of its scheduler.",
    clauses=["LWS-14", "LWS-15"],
    needs=["lws-group-object"],
)
def test_every_pod_names_its_group(world: World) -> None:
    world.nodes(1, gpus=6)

    lws = world.submit(LWS(replicas=2, size=3))
    assert lws.is_bound_whole()
    assert lws.has_groups()

    for index in range(2):
        named = {lws.place(pod) for pod in lws.pods(index)}
        group = lws.group(index)["metadata"]["name"]
        assert world.finds(f"all pods of replica {index} name its group", named, equals={group})
