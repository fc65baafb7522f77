"""A node goes with half of a gang. The other half goes on to hold its GPUs, and the gang its part of the queue: for how
long, and whether new members are let in, is a question of design."""

from harness import Gang, World, case


@case(
    "When a node is lost with members of a gang, what the gang keeps and whether new members join is reported.",
    clauses=["QUEUE-03"],
    level="extended",
    disturbs="nodes",
)
def test_gang_that_lost_a_node_is_reported(world: World) -> None:
    world.nodes(3, gpus=4)
    queue = world.queues.add("whole", gpus=8)
    gang = world.submit(Gang("running", size=4, gpus=2, queue=queue))
    assert gang.is_bound_whole()
    lost = min(gang.nodes)
    members = [pod.name for pod in gang.pods() if pod.state.get("node") == lost]

    world.cluster.lose(lost)
    gang.delete(*members)
    assert gang.is_gone(*members)
    following = world.submit(Gang("following", size=len(members), gpus=2, queue=queue))
    world.stand("what it lost is free for another gang", following, least=len(members), deadline="refused")
    world.stand("what is left of it is taken back", gang, most=0)
    following.delete()
    assert following.is_gone()
    gang.create_again(*members, suffix="-again")
    world.stand("new members make it whole again", gang, least=4, deadline="bound")
