"""A group may be there before its leader, made by hand or left by an earlier life. It is used as it is."""

from harness.case import case
from harness.leaderworker import owner, submit
from harness.leaderworker_faults import make_group
from harness.world import World


@case(
    "A group that is there already MUST be neither changed nor doubled.",
    clauses=["LWS-27"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_existing_group_is_kept(world: World) -> None:
    world.nodes(1, gpus=2)
    live = submit(world, size=2)
    assert live.has_groups()
    name = live.group()["metadata"]["name"]
    live.remove()
    assert live.gangs[0].is_gone()
    by_hand = make_group(live, name, minimum=2)

    again = submit(world, size=2)

    assert again.is_placed_whole()
    named = again.place(again.leader())
    assert world.claim("the set comes back to the same name", True if named == name else None, f"{named}, not {name}")
    groups = again.groups()
    found = [(group["metadata"]["uid"], group["spec"]) for group in groups]
    same = found == [(by_hand["metadata"]["uid"], by_hand["spec"])]
    assert world.claim("the group made by hand is the only one, and as it was", same, str(found))
    assert world.claim("nobody took possession of it", not owner(groups[0]), str(owner(groups[0])))
