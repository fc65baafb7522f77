"""The feature is switched off. What users write is kept, and their pods are placed one by one as ever."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "With the feature off a gangConfig MUST be without effect: no Workload, no references, pods placed one by one.",
    clauses=["JSG-35"],
    level="extended",
    disturbs="control-plane",
)
def test_gangs_turned_off_have_no_effect(world: World) -> None:
    world.nodes(1, gpus=2)
    world.faults.turn_gangs_off()
    jobset = world.submit(JobSet(ReplicatedJob("worker", pods=3), mode=GANG, apart=True))
    assert jobset.has_pods(3)
    names = [pod["metadata"]["name"] for pod in jobset.pods()]
    room = "two of three pods start, for that is all there is room for"
    assert world.stand(room, *names, least=2, most=2, deadline="bound")

    references, workloads = jobset.references(), jobset.workloads()
    assert world.finds("no pod names a gang", references, equals=[{}])
    assert world.finds("there is no Workload", workloads, count=0)
    config = jobset.stored()["spec"].get("gangConfig")
    assert world.finds("what the user wrote is kept", config, equals={"gangMode": GANG})
