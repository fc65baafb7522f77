"""The same for the jobs of a JobSet: the mode that its pods were made with is the mode of the job."""

from harness.case import case
from harness.jobsets import GANG, OFF, REPLICATED, job, submit
from harness.world import World


@case(
    "The gangMode of a replicated job MUST NOT change.",
    clauses=["JSG-26"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_mode_of_a_job_never_changes(world: World) -> None:
    live = submit(world, job("driver", mode=GANG), job("worker", replicas=2, mode=REPLICATED))
    stored = live.object["spec"]["replicatedJobs"]
    for index, mode in ((0, OFF), (0, REPLICATED), (1, GANG)):
        jobs = [
            {**one, "gangConfig": {"gangMode": mode}} if place == index else one for place, one in enumerate(stored)
        ]
        path = f"spec.replicatedJobs[{index}].gangConfig.gangMode: Invalid value"
        name, old = stored[index]["name"], stored[index]["gangConfig"]["gangMode"]
        assert world.rejects_change(
            live.object, {"spec": {"replicatedJobs": jobs}}, f"{name} cannot go from {old} to {mode}", mention=path
        )
