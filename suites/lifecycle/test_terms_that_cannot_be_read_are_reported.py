"""A slip of the pen in an annotation: is it a gang, a pod like any other, or nothing? No design says."""

from harness.cases.language import Gang, Object, World, case


def garble(pod: Object) -> None:
    annotations = pod["metadata"]["annotations"]
    for key, value in annotations.items():
        if key.endswith("/min-available"):
            annotations[key] = "many"
        elif "minMember" in value:
            annotations[key] = value.replace("[", "[?", 1)


@case(
    "What happens to a gang whose terms cannot be read is reported.",
    clauses=["GANG-41"],
    needs=["pod-terms"],
    level="extended",
)
def test_terms_that_cannot_be_read_are_reported(world: World) -> None:
    world.nodes(1, gpus=4)
    garbled = Gang("garbled", size=4, gpus=2, style="annotations")
    objects = world.objects.of(garbled)
    for pod in (obj for obj in objects if obj["kind"] == "Pod"):
        garble(pod)

    gang = world.submit(garbled, objects=objects)
    world.scheduler_is_working()
    world.until(lambda: gang.bound > 0, "window")

    world.stand("nothing of a gang with unreadable terms is bound", gang, most=0)
