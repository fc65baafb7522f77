"""A name alone says that there is a gang and not how large it is."""

from harness.cases.language import Gang, Object, World, case


def without_minimum(pod: Object) -> None:
    annotations = pod["metadata"]["annotations"]
    for key in [key for key in annotations if key.endswith("/min-available")]:
        del annotations[key]


@case(
    "Pods that name a gang by annotation and state no minimum MUST NOT be bound in part.",
    clauses=["KOORD-03"],
    needs=["annotations"],
    level="extended",
)
def test_annotation_without_a_minimum_declares_nothing(world: World) -> None:
    world.nodes(1, gpus=6)

    gang = world.submit(Gang("unsaid", size=4, gpus=2, style="annotations"), alter=without_minimum)

    assert gang.stays_pending()
