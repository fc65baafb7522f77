"""A gang within a gang has no meaning yet, so it is not stored."""

from harness.cases.language import GANG, REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "A JobSet that asks for gangs at both levels MUST be refused.",
    clauses=["JSG-22"],
)
def test_gangs_at_both_levels_are_refused(world: World) -> None:
    for mode in (GANG, REPLICATED):
        both = world.objects.of(
            JobSet(ReplicatedJob("driver", pods=2), ReplicatedJob("worker", pods=2, mode=mode), mode=GANG)
        )[0]
        assert world.objects.rejects(both, f"Gang for the JobSet and {mode} for a job are refused", mention="gang")
