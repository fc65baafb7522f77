"""Replicas go from the end. What remains is not touched."""

from harness.cases.language import LWS, World, case


@case(
    "When a set shrinks, the groups of the replicas that go MUST go, and the others MUST stay.",
    clauses=["LWS-30"],
    needs=["lws-group-object"],
)
def test_fewer_replicas_lose_their_groups_only(world: World) -> None:
    world.nodes(3, gpus=2)
    live = world.submit(LWS(replicas=3, size=2))
    assert live.is_bound_whole()
    assert live.has_groups()
    remaining = live.group(0)["metadata"]["uid"]
    live.gangs[0].must_stay_untouched()

    leaving = live.scale(1)

    assert all(gang.is_gone() for gang in leaving)
    assert live.has_groups()
    assert world.claim("the first replica kept its group", live.group_uids() == {remaining}, f"{live.group_uids()}")
    assert live.is_bound_whole()
