"""Three replicas and room for two of them; the third starts, whole, when a node is added."""

from harness.case import case
from harness.jobsets import REPLICATED, job, submit
from harness.world import World


@case(
    "Replicas that are gangs MUST start independently of each other, each of them whole when there is room for it.",
    clauses=["JSG-30"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_replica_starts_when_there_is_room_for_it(world: World) -> None:
    world.nodes(1, gpus=5)
    live = submit(world, job(replicas=3, pods=2, mode=REPLICATED))
    assert live.has_pods(6)
    gangs = list(live.gangs.values())
    two = world.until(lambda: sorted(gang.bound for gang in gangs) == [0, 2, 2], "bound")
    assert world.claim("two of three replicas are bound whole", two, str([gang.bound for gang in gangs]))
    (waiting,) = [gang for gang in gangs if gang.bound == 0]
    assert waiting.is_refused()

    world.nodes(1, gpus=1)
    assert waiting.is_bound_whole()
