"""A gang within a gang has no meaning yet, so it is not stored."""

from harness.case import case
from harness.jobsets import GANG, REPLICATED, job, jobset
from harness.world import World


@case(
    "A JobSet that asks for gangs at both levels MUST be refused, with the path of the field.",
    clauses=["JSG-22"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_gangs_at_both_levels_are_refused(world: World) -> None:
    path = "spec.replicatedJobs[1].gangConfig.gangMode: Forbidden"
    for mode in (GANG, REPLICATED):
        both = jobset(world, job("driver"), job("worker", mode=mode), mode=GANG)
        assert world.rejects(both, f"Gang for the JobSet and {mode} for a job are refused", mention=path)
