"""Somebody installs the scheduler late, or again: for a while the API server does not know what a group is."""

from harness.cases.language import LWS, World, case


@case(
    "A group that was due while its kind was not served MUST be made when it is, and nothing MUST be bound before.",
    clauses=["LWS-37"],
    needs=["lws-group-object"],
    level="extended",
    disturbs="control-plane",
)
def test_group_is_made_when_its_kind_comes_back(world: World) -> None:
    world.nodes(1, gpus=3)
    world.faults.restart("controller")  # from here on its log tells what it has tried
    world.api_server.remove_group_kind()
    lws = world.submit(LWS(size=3))
    assert world.api_server.controller_missed_the_kind()
    (gang,) = lws.gangs
    assert gang.must_stay_unbound()

    gang.lift()
    world.api_server.restore_group_kind()

    assert lws.has_groups("reconnected")
    assert gang.is_bound_whole("reconnected")
