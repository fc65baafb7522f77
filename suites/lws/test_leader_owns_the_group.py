"""Whatever becomes of the leader becomes of the group, if the leader is its owner and the one that controls it."""

from harness.cases.language import LWS, World, case, owner


@case(
    "The group of a replica MUST be owned by the leader as its controller.",
    clauses=["LWS-08"],
    needs=["lws-group-object"],
)
def test_leader_owns_the_group(world: World) -> None:
    world.nodes(1, gpus=4)

    lws = world.submit(LWS(replicas=2, size=2))

    assert lws.has_groups()
    for index in range(2):
        leader, reference = lws.leader(index)["metadata"], owner(lws.group(index))
        expected = ("v1", "Pod", leader["name"], leader["uid"])
        actual = tuple(reference.get(key) for key in ("apiVersion", "kind", "name", "uid"))
        assert world.finds(f"leader {leader['name']} owns the group of its replica", actual, equals=expected)
