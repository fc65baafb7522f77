"""Two teams call their sets alike. Each has its groups in its own namespace, and neither counts for the other."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "Sets of the same name in two namespaces MUST each have groups of their own, and wait or run on their own.",
    clauses=["LWS-10"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_sets_of_the_same_name_elsewhere_have_groups_there(world: World) -> None:
    other = world.another_namespace()
    world.nodes(1, gpus=4)
    running = submit(world, size=4)
    assert running.is_placed_whole()

    waiting = submit(world, size=4, namespace=other)

    assert waiting.has_groups()
    assert waiting.is_complete()
    (gang,) = waiting.gangs
    assert gang.is_refused()
    mine, theirs = running.group()["metadata"], waiting.group()["metadata"]
    apart = mine["uid"] != theirs["uid"] and (mine["namespace"], theirs["namespace"]) == (world.namespace, other)
    assert world.claim("each set has a group in its own namespace", apart)
