"""The leader owns the group, so it is there first; workers come last, when there is a gang for them to join."""

from harness.cases.language import LWS, World, case


@case(
    "StatefulSet of leaders, leader, group and workers MUST come into being in this order.",
    clauses=["LWS-07", "LWS-26"],
    needs=["lws-group-object"],
)
def test_group_follows_its_leader_into_being(world: World) -> None:
    world.nodes(1, gpus=3)

    live = world.submit(LWS(size=3))
    assert live.is_bound_whole()
    assert live.has_groups()

    group = live.group()["metadata"]["name"]
    parts = (("StatefulSet.apps", "serve"), ("Pod", "serve-0"), (live.group_kind, group), ("Pod", "serve-0-1"))
    came = [world.objects.first_revision(kind, name) for kind, name in parts]
    detail = ", ".join(f"{kind} {name} at {at}" for (kind, name), at in zip(parts, came, strict=True))
    in_order = came == sorted(came)
    assert world.claim("StatefulSet, leader, group and worker came in this order", in_order, detail)
