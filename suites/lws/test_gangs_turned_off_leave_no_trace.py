"""The feature is off: sets work as ever, pods are placed one by one, and nothing speaks of gangs."""

from harness.cases.language import LWS, World, case


@case(
    "With gangs turned off no group MUST be made, and no pod MUST name one.",
    clauses=["LWS-36"],
    needs=["lws-switch"],
    level="extended",
    disturbs="control-plane",
)
def test_gangs_turned_off_leave_no_trace(world: World) -> None:
    world.faults.turn_gangs_off()
    world.nodes(1, gpus=4)

    lws = world.submit(LWS(replicas=2, size=2, quorum=1))

    assert lws.is_bound_whole()
    groups = [group["metadata"]["name"] for group in lws.groups()]
    assert world.finds("no group is named after the set", groups, count=0)
    named = sorted({lws.place(pod) for pod in lws.pods() if lws.place(pod).startswith("serve-")})
    assert world.finds("no pod names a group of the set", named, count=0)
