"""A leader often needs less than its workers, or more. Without a template of its own it is like them."""

from harness.case import case
from harness.core.gang import GPU
from harness.leaderworker import submit
from harness.leaderworker_seen import amounts, sum_of
from harness.world import World


@case(
    "A leader with a template of its own MUST count by that template, and without one by the workers'.",
    clauses=["LWS-22", "LWS-21"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_leader_counts_with_its_own_template(world: World) -> None:
    world.nodes(3, gpus=8)

    alike = submit(world, "alike", size=3, gpus=2)
    frugal = submit(world, "frugal", size=3, gpus=2, leader=0)
    greedy = submit(world, "greedy", size=3, gpus=1, leader=4)

    for live, gpus in ((alike, 6), (frugal, 4), (greedy, 6)):
        assert live.has_groups()
        assert live.is_placed_whole()
        asked = amounts(live.group())
        assert world.claim(f"{live.name} asks for {gpus} GPUs", asked.get(GPU) == gpus * 1000, f"it asks for {asked}")
        assert world.claim(f"{live.name} asks for all else, too", asked == sum_of(live.replica), f"it asks for {asked}")
