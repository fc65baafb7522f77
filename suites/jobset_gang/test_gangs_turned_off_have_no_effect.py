"""The feature is switched off. What users write is kept, and their pods are placed one by one as ever."""

from harness.case import case
from harness.jobset_faults import turn_off
from harness.jobsets import GANG, job, submit
from harness.world import World


@case(
    "With the feature off a gangConfig MUST be without effect: no Workload, no references, pods placed one by one.",
    clauses=["JSG-35"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
    level="extended",
    disruptive=True,
)
def test_gangs_turned_off_have_no_effect(world: World) -> None:
    world.nodes(1, gpus=2)
    turn_off(world)
    live = submit(world, job(pods=3), mode=GANG, apart=True)
    assert live.has_pods(3)
    names = [pod["metadata"]["name"] for pod in live.pods()]
    assert world.sees(
        "two of three pods start, for that is all there is room for", lambda: sum(map(world.is_bound, names)) == 2
    )

    said, workloads = live.references(), live.workloads()
    assert world.claim("no pod names a gang", said == [{}], str(said))
    assert world.claim("there is no Workload", not workloads, str(len(workloads)))
    kept = live.stored()["spec"].get("gangConfig")
    assert world.claim("what the user wrote is kept", kept == {"gangMode": GANG}, str(kept))
