"""A slip of the pen in an annotation: is it a gang, a pod like any other, or nothing? No design says."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import Object, World


def garble(pod: Object) -> None:
    annotations = pod["metadata"]["annotations"]
    for key, value in annotations.items():
        if key.endswith("/min-available"):
            annotations[key] = "many"
        elif "minMember" in value:
            annotations[key] = value.replace("[", "[?", 1)


@case(
    "What becomes of a gang whose terms cannot be read is reported.",
    clauses=["GANG-41"],
    strength="OBSERVE",
    needs=["gang", "pod-terms"],
    profile="GANG-LIFECYCLE",
    level="extended",
)
def test_terms_that_cannot_be_read_are_reported(world: World) -> None:
    world.nodes(1, gpus=4)
    garbled = Gang("garbled", size=4, gpus=2, style="annotations")
    objects = world.objects_of(garbled)
    for pod in (obj for obj in objects if obj["kind"] == "Pod"):
        garble(pod)

    gang = world.submit(garbled, objects=objects)
    world.passes()
    world.until(lambda: gang.bound > 0, "window")

    there = gang.bound
    world.claim("nothing of a gang with unreadable terms is bound", there == 0, f"{there} of 4 are bound")
