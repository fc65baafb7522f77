"""A group is written once. An update that makes replicas larger must not leave them with the old numbers."""

from harness.cases.language import LWS, World, case


@case(
    "After an update of size and requests each group MUST have the new minimum and ask for the new requests.",
    clauses=["LWS-41", "LWS-06", "LWS-18", "LWS-21"],
    needs=["lws-group-object"],
)
def test_update_of_size_and_requests_reaches_the_groups(world: World) -> None:
    world.nodes(2, gpus=6)
    live = world.submit(LWS(replicas=2, size=2))
    assert live.is_bound_whole()

    live.update(LWS(replicas=2, size=3, gpus=2))

    assert live.is_updated()
    assert live.has_groups()
    assert live.is_bound_whole()
    for index in range(2):
        minimum = live.group(index)["spec"]["minMember"]
        assert world.claim(f"the minimum of replica {index} is the new size", minimum == 3, f"it is {minimum}")
        asked, needed = live.requests(index)
        assert world.claim(f"replica {index} asks for what its pods ask for", asked == needed, f"it asks for {asked}")
