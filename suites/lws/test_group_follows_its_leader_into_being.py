"""The leader owns the group, so it is there first; workers come last, when there is a gang for them to join."""

from harness.cases.language import LWS, World, case


@case(
    "StatefulSet of leaders, leader, group and workers MUST come into being in this order.",
    clauses=["LWS-07", "LWS-26"],
    needs=["lws-group-object"],
)
def test_group_follows_its_leader_into_being(world: World) -> None:
    world.nodes(1, gpus=3)

    lws = world.submit(LWS(size=3))
    assert lws.is_bound_whole()
    assert lws.has_groups()

    group = lws.group()["metadata"]["name"]
    parts = [("StatefulSet.apps", "serve"), ("Pod", "serve-0"), (lws.group_kind, group), ("Pod", "serve-0-1")]
    came = sorted(parts, key=lambda part: world.objects.first_revision(*part))
    assert world.finds("StatefulSet, leader, group and worker came in this order", came, equals=parts)
