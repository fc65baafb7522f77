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

    for lws, gpus in ((alike, 6), (frugal, 4), (greedy, 6)):
        assert lws.has_groups()
        assert lws.is_bound_whole()
        asked, needed = lws.requests()
        assert world.finds(f"{lws.name} asks for {gpus} GPUs", asked.get(world.cluster.gpu), equals=gpus * 1000)
        assert world.finds(f"{lws.name} asks for all else, too", asked, equals=needed)
