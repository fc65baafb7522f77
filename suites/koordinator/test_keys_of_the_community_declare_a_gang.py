"""The keys that were in use before this design had its own."""

from harness.cases.language import Gang, Object, World, case


def by_community(pod: Object) -> None:
    meta = pod["metadata"]
    meta["labels"]["pod-group.scheduling.sigs.k8s.io/name"] = meta["labels"]["muster.dev/gang"]
    meta["labels"]["pod-group.scheduling.sigs.k8s.io/min-available"] = "4"
    meta.pop("annotations")


@case(
    "A gang declared by the community's keys for name and minimum MUST be bound whole or not at all.",
    clauses=["KOORD-04"],
    needs=["annotations"],
    level="extended",
)
def test_keys_of_the_community_declare_a_gang(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("old", size=4, gpus=2, style="annotations"), alter=by_community)
    assert gang.is_bound_whole()

    second = world.submit(Gang("older", size=4, gpus=1, missing=1, style="annotations"), alter=by_community)
    gang.delete()

    assert second.stays_pending()
    second.create_missing()
    assert second.is_bound_whole()
