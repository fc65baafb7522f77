"""A scheduler knows a gang by what its pods say. All of a replica say the same, and what they name is there."""

from harness.cases.language import LWS, World, case


@case(
    "Every pod of a replica MUST name the replica's group in the way of its scheduler.",
    clauses=["LWS-14", "LWS-15"],
    needs=["lws-group-object"],
)
def test_every_pod_names_its_group(world: World) -> None:
    world.nodes(1, gpus=6)

    live = world.submit(LWS(replicas=2, size=3))
    assert live.is_bound_whole()
    assert live.has_groups()

    for index in range(2):
        named = {live.place(pod) for pod in live.pods(index)}
        group = live.group(index)["metadata"]["name"]
        assert world.claim(f"all pods of replica {index} name its group", named == {group}, f"they name {named}")
