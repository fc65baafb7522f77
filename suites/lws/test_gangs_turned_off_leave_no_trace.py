"""The feature is off: sets work as ever, pods are placed one by one, and nothing speaks of gangs."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_faults import turn_off
from harness.world import World


@case(
    "With gangs turned off no group MUST be made, and no pod MUST name one.",
    clauses=["LWS-36"],
    needs=["leader-worker-set", "lws-switch"],
    profile="LWS",
    level="extended",
    disruptive=True,
)
def test_gangs_turned_off_leave_no_trace(world: World) -> None:
    turn_off(world)
    world.nodes(1, gpus=4)

    live = submit(world, replicas=2, size=2, promised=1)

    assert live.is_placed_whole()
    made = [group["metadata"]["name"] for group in live.groups()]
    assert world.claim("no group is named after the set", not made, ", ".join(made))
    named = sorted({live.place(pod) for pod in live.pods() if live.place(pod).startswith("serve-")})
    assert world.claim("no pod names a group of the set", not named, ", ".join(named))
