"""A deleted PodGroup that vanished under its members would leave them without a declaration."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A PodGroup that is deleted MUST stay while a member runs, and MUST go with the last.",
    clauses=["GANG-13", "GANG-35"],
    needs=["gang", "workload-object", "group-object"],
    profile="WORKLOAD-API",
)
def test_group_object_in_use_is_kept_until_its_pods_are_gone(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("running", size=2, gpus=2))
    assert gang.is_bound_whole()

    gang.delete_group()
    assert world.passes()
    kept = [one.name for one in gang.groups() if one.kind.startswith("PodGroup")]
    assert world.claim("the PodGroup is kept while members run", kept == ["running"], str(kept))
    world.free(gang)

    assert gang.is_gone()
