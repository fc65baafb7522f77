"""An update may make a replica more than asked for, so that none is missing meanwhile. It is a gang like the others."""

from harness.cases.language import LWS, World, case


@case(
    "A replica made for an update beyond the number MUST have a group, and the update MUST end without it.",
    clauses=["LWS-34", "LWS-35", "LWS-28"],
    needs=["lws-group-object"],
)
def test_replicas_beyond_the_number_have_groups_during_an_update(world: World) -> None:
    world.nodes(3, gpus=2)
    lws = world.submit(LWS(replicas=2, size=2, surge=1))
    assert lws.is_bound_whole()

    lws.update()

    assert lws.is_updated()
    surge = lws.recorded_groups(2)
    assert world.finds("the third replica had a group during the update", surge, least=1)
    assert lws.has_groups()
    assert lws.is_bound_whole()
    names = [group["metadata"]["name"] for group in lws.groups()]
    assert world.finds("the group of the third replica is gone", names, excludes=surge)
