"""A leader often needs less than its workers, or more. Without a template of its own it is like them."""

from harness.cases.language import LWS, World, case


@case(
    "A leader with a template of its own MUST count by that template, and without one by the workers'.",
    clauses=["LWS-22", "LWS-21"],
    needs=["lws-group-object"],
)
def test_leader_counts_with_its_own_template(world: World) -> None:
    world.nodes(3, gpus=8)

    alike = world.submit(LWS("alike", size=3, gpus=2))
    frugal = world.submit(LWS("frugal", size=3, gpus=2, leader=0))
    greedy = world.submit(LWS("greedy", size=3, gpus=1, leader=4))

    for live, gpus in ((alike, 6), (frugal, 4), (greedy, 6)):
        assert live.has_groups()
        assert live.is_bound_whole()
        asked, needed = live.requests()
        assert world.claim(
            f"{live.name} asks for {gpus} GPUs", asked.get(world.cluster.gpu) == gpus * 1000, f"it asks for {asked}"
        )
        assert world.claim(f"{live.name} asks for all else, too", asked == needed, f"it asks for {asked}")
