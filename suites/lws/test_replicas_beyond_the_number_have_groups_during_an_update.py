"""An update may make a replica more than asked for, so that none is missing meanwhile. It is a gang like the others."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_seen import groups_seen
from harness.world import World


@case(
    "A replica made for an update beyond the number MUST have a group, and the update MUST end without it.",
    clauses=["LWS-34", "LWS-35"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_replicas_beyond_the_number_have_groups_during_an_update(world: World) -> None:
    world.nodes(3, gpus=2)
    live = submit(world, replicas=2, size=2, surge=1)
    assert live.is_placed_whole()
    revisions = live.revisions()

    live.update()

    assert live.is_updated(revisions)
    surge = groups_seen(world, live, 2)
    assert world.claim("the third replica had a group during the update", bool(surge))
    assert live.has_groups()
    assert live.is_placed_whole()
    left = surge & {group["metadata"]["name"] for group in live.groups()}
    assert world.claim("the group of the third replica is gone", not left, ", ".join(left))
