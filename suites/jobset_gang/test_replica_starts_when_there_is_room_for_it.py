"""Three replicas and room for two of them; the third starts, whole, when a node is added."""

from harness import World, case
from harness.cases.workloads import REPLICATED, JobSet, ReplicatedJob


@case(
    "Replicas that are gangs MUST start independently of each other, each of them whole when there is room for it.",
    clauses=["JSG-30"],
)
def test_replica_starts_when_there_is_room_for_it(world: World) -> None:
    world.nodes(1, gpus=5)
    live = world.submit(JobSet(ReplicatedJob("worker", replicas=3, pods=2, mode=REPLICATED)))
    assert live.is_prepared()
    assert live.has_pods(6)
    gangs = live.gangs
    two = world.until(lambda: sorted(gang.bound for gang in gangs) == [0, 2, 2], "bound")
    assert world.claim("two of three replicas are bound whole", two, str([gang.bound for gang in gangs]))
    (waiting,) = [gang for gang in gangs if gang.bound == 0]
    assert waiting.is_refused()

    world.nodes(1, gpus=1)
    assert waiting.is_bound_whole()
