"""An update may make a replica more than asked for, so that none is missing meanwhile. It is a gang like the others."""

from harness.cases.language import LWS, World, case


@case(
    "A replica made for an update beyond the number MUST have a group, and the update MUST end without it.",
    clauses=["LWS-34", "LWS-35", "LWS-28"],
    needs=["lws-group-object"],
)
def test_replicas_beyond_the_number_have_groups_during_an_update(world: World) -> None:
    world.nodes(3, gpus=2)
    live = world.submit(LWS(replicas=2, size=2, surge=1))
    assert live.is_bound_whole()

    live.update()

    assert live.is_updated()
    surge = live.recorded_groups(2)
    assert world.claim("the third replica had a group during the update", bool(surge))
    assert live.has_groups()
    assert live.is_bound_whole()
    left = surge & {group["metadata"]["name"] for group in live.groups()}
    assert world.claim("the group of the third replica is gone", not left, ", ".join(left))
