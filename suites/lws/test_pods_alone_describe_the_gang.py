"""Some schedulers know gangs without an object for them: what the pods say is all there is."""

from harness.cases.language import LWS, World, case


@case(
    "Without group objects the pods MUST say enough for all or nothing, and no group MUST be made.",
    clauses=["LWS-16", "LWS-02"],
    needs=["lws-pods-only"],
)
def test_pods_alone_describe_the_gang(world: World) -> None:
    world.nodes(1, gpus=4)
    live = world.submit(LWS(size=4))
    assert live.is_bound_whole()
    waiting = world.submit(LWS("waiting", size=4))

    assert waiting.is_complete()
    assert waiting.gangs[0].is_refused()
    named = {live.place(pod) for pod in live.pods()}
    assert world.claim("all pods of the replica name one application", len(named) == 1 and all(named), f"{named}")
    kinds = world.objects.kinds_called("PodGroup")
    groups = [obj["metadata"]["name"] for kind in kinds for obj in world.objects.all_of(kind)]
    assert world.claim("there is no group object", not groups, f"found: {groups} among {kinds}")
