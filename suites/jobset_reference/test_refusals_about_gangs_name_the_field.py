"""A message that names the field and what it may say spares its reader a look into the manual."""

from harness.cases.language import GANG, OFF, REPLICATED, JobSet, ReplicatedJob, World, case

MODE = "spec.gangConfig.gangMode"


@case(
    "A refusal of a gangConfig SHOULD name the path of the field and what is allowed there.",
    clauses=["REF-09"],
    needs=["jobset-gang"],
)
def test_refusals_about_gangs_name_the_field(world: World) -> None:
    worker = ReplicatedJob("worker", pods=2)
    few, all_ = '"Gang", "Off"', '"Gang", "Off", "ReplicatedGang"'
    jobs = "spec.replicatedJobs[0].gangConfig.gangMode"
    for jobset, message in (
        (JobSet(worker, mode=REPLICATED), f'{MODE}: Unsupported value: "{REPLICATED}": supported values: {few}'),
        (JobSet(worker, mode="gang"), f'{MODE}: Unsupported value: "gang": supported values: {few}'),
        (
            JobSet(ReplicatedJob("worker", pods=2, mode="Gangs")),
            f'{jobs}: Unsupported value: "Gangs": supported values: {all_}',
        ),
        (JobSet(ReplicatedJob("worker", pods=2, mode=GANG), mode=GANG), f"{jobs}: Forbidden"),
    ):
        assert world.objects.rejects(world.objects.of(jobset)[0], message, mention=message)
    empty = world.objects.of(JobSet(worker))[0]
    empty["spec"]["gangConfig"] = {}
    assert world.objects.rejects(empty, "a gangConfig says a mode", mention=f"{MODE}: Required value")

    gang = world.submit(JobSet(worker, name="gang", mode=GANG)).object
    assert world.objects.rejects_change(
        gang,
        {"spec": {"gangConfig": {"gangMode": OFF}}},
        "a gang cannot be turned off",
        mention=f"{MODE}: Invalid value",
    )
