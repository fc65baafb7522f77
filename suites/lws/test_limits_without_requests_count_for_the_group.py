"""A container with limits and no requests asks for its limits; that is filled in in pods, not in templates."""

from harness.cases.language import LWS, Object, World, case


@case(
    "A group MUST ask for what its pods ask for also if their template states limits only.",
    clauses=["LWS-21"],
    needs=["lws-group-object"],
    level="extended",
)
def test_limits_without_requests_count_for_the_group(world: World) -> None:
    def only_limits(obj: Object) -> None:
        template = obj["spec"]["leaderWorkerTemplate"]["workerTemplate"]
        template["spec"]["containers"][0]["resources"].pop("requests")

    world.nodes(1, gpus=4)

    lws = world.submit(LWS(size=2, gpus=2), alter=only_limits)

    assert lws.has_groups()
    assert lws.is_bound_whole()
    asked, needed = lws.requests()
    assert world.finds("the group asks for what its two pods ask for", asked, equals=needed)
