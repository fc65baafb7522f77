"""The group of the old leader is slow to go. The new leader must not take it for its own, which will soon be gone."""

from harness.cases.language import LWS, SubmittedLWS, World, case


def set_finalizers(world: World, lws: SubmittedLWS, finalizers: list[str]) -> None:
    """Keep the groups of a set from going when they are deleted, or let them go."""
    for group in lws.groups():
        kind, name = (group["apiVersion"], group["kind"]), group["metadata"]["name"]
        world.objects.change(kind, name, {"metadata": {"finalizers": finalizers}})


@case(
    "A leader created again while the old one's group is still going MUST have a group of its own in the end.",
    clauses=["LWS-29"],
    needs=["lws-group-object"],
    level="extended",
)
def test_leader_made_anew_outlives_the_old_group(world: World) -> None:
    world.nodes(1, gpus=2)
    lws = world.submit(LWS(size=2))
    assert lws.is_bound_whole()
    assert lws.has_groups()
    set_finalizers(world, lws, ["example.com/hold"])

    lws.delete(leader=0)
    assert lws.is_replaced()
    assert world.is_at_rest()
    set_finalizers(world, lws, [])

    assert lws.leader_owns_group()
    assert lws.is_bound_whole()
