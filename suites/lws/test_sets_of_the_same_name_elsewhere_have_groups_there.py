"""Two teams call their sets alike. Each has its groups in its own namespace, and neither counts for the other."""

from harness.cases.language import LWS, World, case


@case(
    "Sets of the same name in two namespaces MUST each have groups of their own, and wait or run on their own.",
    clauses=["LWS-10"],
    needs=["lws-group-object"],
)
def test_sets_of_the_same_name_elsewhere_have_groups_there(world: World) -> None:
    other = world.cluster.another_namespace()
    world.nodes(1, gpus=4)
    running = world.submit(LWS(size=4))
    assert running.is_bound_whole()

    waiting = world.submit(LWS(size=4), namespace=other)

    assert waiting.has_groups()
    assert waiting.is_complete()
    (gang,) = waiting.gangs
    assert gang.is_refused()
    groups = [lws.group()["metadata"] for lws in (running, waiting)]
    namespaces = {group["uid"]: group["namespace"] for group in groups}  # of two groups, and not twice of one
    apart = [world.namespace, other]
    assert world.finds("each set has a group in its own namespace", list(namespaces.values()), equals=apart)
