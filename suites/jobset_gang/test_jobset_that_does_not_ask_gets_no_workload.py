"""Most JobSets want no gangs. That nothing is made for them shows when a later one that asks has all it needs."""

from harness.case import case
from harness.jobsets import GANG, OFF, job, submit
from harness.world import World


@case(
    "A JobSet without gangConfig, or with Off at both levels, MUST get no Workload and no references.",
    clauses=["JSG-03", "JSG-04"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_jobset_that_does_not_ask_gets_no_workload(world: World) -> None:
    world.nodes(1, gpus=4)
    silent = submit(world, job(pods=2), name="silent")
    off = submit(world, job(pods=2, mode=OFF), name="off", mode=OFF)
    for live in (silent, off):
        assert live.has_pods(2)
        assert world.starts(*(pod["metadata"]["name"] for pod in live.pods()))
    later = submit(world, job(pods=1, gpus=0), name="later", mode=GANG)
    assert later.is_prepared()

    names = [one["metadata"]["name"] for one in later.workloads()]
    assert world.claim("only the JobSet that asks has a Workload", names == ["w-later"], str(names))
    for live in (silent, off):
        said, objects = live.references(), live.objects()
        assert world.claim(f"pods of {live.name} name no gang", said == [{}] and not objects, f"{said} {list(objects)}")
