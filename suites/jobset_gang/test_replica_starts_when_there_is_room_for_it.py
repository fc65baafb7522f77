"""Three replicas and room for two of them; the third starts, whole, when a node is added."""

from harness.cases.language import REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "Replicas that are gangs MUST start independently of each other, each of them whole when there is room for it.",
    clauses=["JSG-30"],
)
def test_replica_starts_when_there_is_room_for_it(world: World) -> None:
    world.nodes(1, gpus=5)
    jobset = world.submit(JobSet(ReplicatedJob("worker", replicas=3, pods=2, mode=REPLICATED)))
    assert jobset.is_prepared()
    assert jobset.has_pods(6)
    assert world.stand("as many pods are bound as two replicas have", *jobset.gangs, least=4, most=4, deadline="bound")
    waiting = min(jobset.gangs, key=lambda gang: gang.bound)
    assert waiting.is_refused()

    world.nodes(1, gpus=1)
    assert waiting.is_bound_whole()
