"""Two members say that two are enough, two say that all four are needed, and there is room for two."""

from harness.cases.language import Gang, Object, World, case


def contradict(pod: Object) -> None:
    if pod["metadata"]["name"] not in ("torn-2", "torn-3"):
        return
    annotations = pod["metadata"]["annotations"]
    for key, value in annotations.items():
        if key.endswith("/min-available"):
            annotations[key] = "2"
        elif "minMember" in value:
            annotations[key] = value.replace('"minMember": 4', '"minMember": 2')


@case(
    "When members of a gang state different minima, which of them counts is reported.",
    clauses=["GANG-41"],
    needs=["pod-terms"],
    level="extended",
)
def test_members_that_state_different_minima_are_reported(world: World) -> None:
    world.nodes(1, gpus=4)
    torn = Gang("torn", size=4, gpus=2, style="annotations")
    objects = world.objects.of(torn)
    for pod in (obj for obj in objects if obj["kind"] == "Pod"):
        contradict(pod)

    gang = world.submit(torn, objects=objects)
    world.scheduler_is_working()
    world.until(lambda: gang.bound > 0, "window")

    world.stand("the larger minimum counts", gang, most=0)
