"""Four nodes, half of each taken. Two of the pods moved to the halves of the others, and two whole nodes are free."""

from harness import Gang, World, case


@case(
    "Where running pods can be moved to make room for a gang they MUST be, and each of them MUST run again.",
    clauses=["KAI-02", "GANG-05"],
    needs=["consolidation"],
    level="extended",
    disturbs="nodes",
)
def test_room_in_pieces_is_put_together(world: World) -> None:
    nodes, servers = world.nodes(4, gpus=4), []
    for number, node in enumerate(nodes):
        others = [other for other in nodes if other != node]
        world.cluster.cordon(*others)
        servers.append(world.replicas(f"server-{number}", 1, gpus=2))
        assert world.sees(f"a pod is on {node}", servers[-1].nodes, includes=[node])
        world.cluster.uncordon(*others)

    gang = world.submit(Gang("large", size=2, gpus=4))

    assert gang.is_bound_whole()
    assert world.sees("all other pods run again", lambda: [server.bound for server in servers], equals=[1] * 4)
