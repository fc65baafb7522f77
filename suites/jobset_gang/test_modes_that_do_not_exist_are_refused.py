"""A slip of the pen must not turn a gang into loose pods: what nobody understands is refused, in Kubernetes' words."""

from harness.case import case
from harness.jobsets import REPLICATED, job, jobset
from harness.world import World


@case(
    "A mode that does not belong to its level, or does not exist, MUST be refused with its path and what is allowed.",
    clauses=["JSG-24"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_modes_that_do_not_exist_are_refused(world: World) -> None:
    own, jobs = "spec.gangConfig.gangMode", "spec.replicatedJobs[0].gangConfig.gangMode"
    few, all_ = '"Gang", "Off"', '"Gang", "Off", "ReplicatedGang"'

    said = f'{own}: Unsupported value: "{REPLICATED}": supported values: {few}'
    assert world.rejects(jobset(world, job(), mode=REPLICATED), "a JobSet cannot be ReplicatedGang", mention=said)
    said = f'{own}: Unsupported value: "gang": supported values: {few}'
    assert world.rejects(jobset(world, job(), mode="gang"), "gang is no mode of a JobSet", mention=said)
    said = f'{jobs}: Unsupported value: "Gangs": supported values: {all_}'
    assert world.rejects(jobset(world, job(mode="Gangs")), "Gangs is no mode of a job", mention=said)
    empty = jobset(world, job())
    empty["spec"]["gangConfig"] = {}
    assert world.rejects(empty, "a gangConfig says a mode", mention=f"{own}: Required value")
