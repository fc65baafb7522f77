"""New replicas are gangs from their first pod on."""

from harness.cases.language import LWS, World, case


@case(
    "When a set grows, a group MUST come with each new replica, and each MUST be bound whole.",
    clauses=["LWS-31"],
    needs=["lws-group-object"],
)
def test_more_replicas_bring_their_groups(world: World) -> None:
    world.nodes(3, gpus=2)
    live = world.submit(LWS(replicas=1, size=2))
    assert live.is_bound_whole()
    first = live.group_uids()

    live.scale(3)

    assert live.has_groups()
    assert live.is_bound_whole()
    assert world.claim("the first replica kept its group", first <= live.group_uids())
