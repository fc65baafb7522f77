"""What a gang is cannot change under its pods: neither to another mode, nor from nothing, nor to nothing."""

from harness.cases.language import GANG, OFF, REPLICATED, JobSet, ReplicatedJob, World, case

CHANGES = ((0, OFF), (0, REPLICATED), (1, GANG), (2, GANG), (2, REPLICATED), (0, None), (1, None))  # job, new mode


@case(
    "The gangMode of a replicated job MUST NOT change: neither to another one, nor from nothing, nor to nothing.",
    clauses=["JSG-26"],
)
def test_mode_of_a_job_never_changes(world: World) -> None:
    jobset = world.submit(
        JobSet(
            ReplicatedJob("driver", pods=2, mode=GANG),
            ReplicatedJob("worker", pods=2, replicas=2, mode=REPLICATED),
            ReplicatedJob("plain", pods=1),
        )
    )
    stored = jobset.object["spec"]["replicatedJobs"]
    for index, mode in CHANGES:
        rest = {key: value for key, value in stored[index].items() if key != "gangConfig"}
        changed = rest if mode is None else {**rest, "gangConfig": {"gangMode": mode}}
        jobs = [changed if place == index else entry for place, entry in enumerate(stored)]
        name, old = rest["name"], (stored[index].get("gangConfig") or {}).get("gangMode", "nothing")
        assert world.objects.rejects_change(
            jobset.object,
            {"spec": {"replicatedJobs": jobs}},
            f"{name} cannot go from {old} to {mode or 'nothing'}",
            mention="gang",
        )
