"""Two replicas, room for one and a half of them. One starts whole, the other waits whole."""

from harness.cases.language import REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "With room for one replica of a job whose replicas are gangs, exactly one MUST start.",
    clauses=["JSG-30"],
)
def test_room_for_one_replica_starts_one(world: World) -> None:
    world.nodes(1, gpus=3)
    jobset = world.submit(JobSet(ReplicatedJob("worker", replicas=2, pods=2, mode=REPLICATED)))
    assert jobset.is_prepared()
    assert jobset.has_pods(4)
    verdict, winner = world.gangs.one_of(*jobset.gangs)
    assert verdict
    (loser,) = [gang for gang in jobset.gangs if gang is not winner]
    assert loser.is_refused()
