"""Replicas go from the end. What remains is not touched."""

from harness.cases.language import LWS, World, case


@case(
    "When a set shrinks, the groups of the replicas that go MUST go, and the others MUST stay.",
    clauses=["LWS-30"],
    needs=["lws-group-object"],
)
def test_fewer_replicas_lose_their_groups_only(world: World) -> None:
    world.nodes(3, gpus=2)
    lws = world.submit(LWS(replicas=3, size=2))
    assert lws.is_bound_whole()
    assert lws.has_groups()
    remaining = lws.group(0)["metadata"]["uid"]
    lws.gangs[0].must_stay_untouched()

    leaving = lws.scale(1)

    assert all(gang.is_gone() for gang in leaving)
    assert lws.has_groups()
    assert world.finds("the first replica kept its group", lws.group_uids(), equals={remaining})
    assert lws.is_bound_whole()
