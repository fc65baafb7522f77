"""Pods of a gang cannot be taken out of it again, so what a JobSet asked for is what it gets until it is deleted."""

from harness.cases.language import GANG, JOBSET, OFF, JobSet, ReplicatedJob, World, case


@case(
    "The gangMode of a JobSet MUST NOT change: neither to another one, nor from nothing, nor to nothing.",
    clauses=["JSG-25"],
)
def test_mode_of_a_jobset_never_changes(world: World) -> None:
    gang = world.submit(JobSet(ReplicatedJob("worker", pods=2), name="gang", mode=GANG))
    plain = world.submit(JobSet(ReplicatedJob("worker", pods=2), name="plain"))
    for jobset, config, sentence in (
        (gang, {"gangMode": OFF}, "a gang cannot be turned off"),
        (gang, None, "a gang cannot be taken back"),
        (plain, {"gangMode": GANG}, "a JobSet that exists cannot become a gang"),
    ):
        assert world.objects.rejects_change(jobset.object, {"spec": {"gangConfig": config}}, sentence, mention="gang")
    changed = world.objects.change(JOBSET, "gang", {"metadata": {"labels": {"team": "a"}}})
    assert world.finds("anything else may change", changed["metadata"]["labels"], equals={"team": "a"})
