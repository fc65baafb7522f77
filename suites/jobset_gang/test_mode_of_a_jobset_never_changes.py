"""Pods of a gang cannot be taken out of it again, so what a JobSet asked for is what it gets until it is deleted."""

from harness.adapters.jobset import JOBSET
from harness.case import case
from harness.jobsets import GANG, OFF, job, submit
from harness.world import World


@case(
    "The gangMode of a JobSet MUST NOT change: neither to another one, nor from nothing, nor to nothing.",
    clauses=["JSG-25"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_mode_of_a_jobset_never_changes(world: World) -> None:
    gang = submit(world, job(), name="gang", mode=GANG)
    plain = submit(world, job(), name="plain")
    path = "spec.gangConfig.gangMode: Invalid value"
    for live, config, sentence in (
        (gang, {"gangMode": OFF}, "a gang cannot be turned off"),
        (gang, None, "a gang cannot be taken back"),
        (plain, {"gangMode": GANG}, "a JobSet that exists cannot become a gang"),
    ):
        assert world.rejects_change(live.object, {"spec": {"gangConfig": config}}, sentence, mention=path)
    changed = world.change(JOBSET, "gang", {"metadata": {"labels": {"team": "a"}}})
    assert world.claim("anything else may change", changed["metadata"]["labels"] == {"team": "a"})
