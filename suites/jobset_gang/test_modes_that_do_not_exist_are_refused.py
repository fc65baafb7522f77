"""A mode that nobody knows would be taken for none, and its pods start one by one."""

from harness.cases.language import REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "A mode that does not belong to its level, or does not exist, MUST be refused.",
    clauses=["JSG-24"],
)
def test_modes_that_do_not_exist_are_refused(world: World) -> None:
    for jobset, sentence in (
        (JobSet(ReplicatedJob("worker", pods=2), mode=REPLICATED), "a JobSet cannot be ReplicatedGang"),
        (JobSet(ReplicatedJob("worker", pods=2), mode="gang"), "gang is no mode of a JobSet"),
        (JobSet(ReplicatedJob("worker", pods=2, mode="Gangs")), "Gangs is no mode of a job"),
    ):
        assert world.objects.rejects(world.objects.of(jobset)[0], sentence, mention="gang")
