"""New replicas are gangs from their first pod on."""

from harness.cases.language import LWS, World, case


@case(
    "When a set grows, a group MUST come with each new replica, and each MUST be bound whole.",
    clauses=["LWS-31"],
    needs=["lws-group-object"],
)
def test_more_replicas_bring_their_groups(world: World) -> None:
    world.nodes(3, gpus=2)
    lws = world.submit(LWS(replicas=1, size=2))
    assert lws.is_bound_whole()
    first = lws.group_uids()

    lws.scale(3)

    assert lws.has_groups()
    assert lws.is_bound_whole()
    assert world.finds("the first replica kept its group", lws.group_uids(), includes=first)
