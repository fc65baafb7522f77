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
    queue = world.queue("whole", gpus=8)
    gang = world.submit(Gang("running", size=4, gpus=2, queue=queue))
    assert gang.is_bound_whole()
    lost = min(gang.nodes)
    members = [pod.name for pod in gang.pods() if pod.state.get("node") == lost]

    world.cluster.lose(lost)
    gang.delete(*members)
    assert gang.is_gone(*members)
    following = world.submit(Gang("following", size=len(members), gpus=2, queue=queue))
    world.until(lambda: following.at_quorum, "refused")
    world.claim("what it lost is free for another gang", following.at_quorum, f"{following.bound} members are bound")
    world.claim("what is left of it is taken back", gang.bound == 0, f"{gang.bound} members keep their GPUs")
    following.delete()
    assert following.is_gone()
    gang.create_again(*members, suffix="-again")
    world.until(lambda: gang.bound == 4, "bound")
    world.claim("new members make it whole again", gang.bound == 4, f"{gang.bound} of 4 are bound")
