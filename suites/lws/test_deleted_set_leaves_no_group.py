"""A set is deleted while one replica runs and one waits. Groups that stay behind would be gangs without pods."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "Nothing of a set MUST be left after its deletion, neither pods nor groups.",
    clauses=["LWS-32"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_deleted_set_leaves_no_group(world: World) -> None:
    world.nodes(1, gpus=2)
    live = submit(world, replicas=2, size=2)
    assert live.is_complete()
    verdict, _ = world.one_of(*live.gangs)
    assert verdict

    live.remove()

    assert all(gang.is_gone() for gang in live.gangs)
    assert world.sees("no group is left", lambda: not live.groups(), "gone")
