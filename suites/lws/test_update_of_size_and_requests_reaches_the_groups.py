"""A group is written once. An update that makes replicas larger must not leave them with the old numbers."""

from harness.cases.language import LWS, World, case


@case(
    "After an update of size and requests each group MUST have the new minimum and ask for the new requests.",
    clauses=["LWS-41", "LWS-06", "LWS-18", "LWS-21"],
    needs=["lws-group-object"],
)
def test_update_of_size_and_requests_reaches_the_groups(world: World) -> None:
    world.nodes(2, gpus=6)
    lws = world.submit(LWS(replicas=2, size=2))
    assert lws.is_bound_whole()

    lws.update(LWS(replicas=2, size=3, gpus=2))

    assert lws.is_updated()
    assert lws.has_groups()
    assert lws.is_bound_whole()
    for index in range(2):
        minimum = lws.group(index)["spec"]["minMember"]
        assert world.finds(f"the minimum of replica {index} is the new size", minimum, equals=3)
        asked, needed = lws.requests(index)
        assert world.finds(f"replica {index} asks for what its pods ask for", asked, equals=needed)
