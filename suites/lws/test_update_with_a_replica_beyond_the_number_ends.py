"""Nothing is said of groups here: replicas are placed whole, before, during and after."""

from harness.cases.language import LWS, World, case


@case(
    "An update that makes a replica more than asked for MUST end with all replicas renewed and placed whole.",
    clauses=["LWS-34"],
)
def test_update_with_a_replica_beyond_the_number_ends(world: World) -> None:
    world.nodes(3, gpus=2)
    lws = world.submit(LWS(replicas=2, size=2, surge=1))
    assert lws.is_bound_whole()

    lws.update()

    assert lws.is_updated()
    assert lws.is_bound_whole()
