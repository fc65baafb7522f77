"""One rack would be large enough, were it not for a pod that is in the way."""

from harness import Gang, World, case


@case(
    "A gang that waits for a domain MUST be bound whole when the domain has room.",
    clauses=["GANG-05", "GANG-24"],
)
def test_gang_starts_when_its_domain_is_freed(world: World) -> None:
    world.nodes(2, gpus=4, racks=2)
    pods = [world.pod(gpus=2) for _ in range(4)]
    assert world.is_bound(*pods)
    gang = world.submit(Gang("close", size=2, gpus=2, topology=world.cluster.RACK))
    assert gang.is_refused()

    for pod in pods:
        world.delete(pod)

    assert gang.is_bound_whole()
    assert world.are_on("all members are in one rack", gang, by=world.cluster.RACK, count=1)
