"""The object asks for six of four pods, which can never be; the pods say four."""

from harness import Gang, World, case


@case(
    "Where the pods' annotations and their object differ, the annotations MUST count.",
    clauses=["KOORD-11"],
    needs=["quorum", "annotations", "group-object"],
    level="extended",
)
def test_annotations_of_pods_go_before_the_object(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = Gang("both", size=4, quorum=4, gpus=2)
    group = [obj for obj in world.objects.of(gang.but(quorum=6)) if obj["kind"] != "Pod"]
    pods = [obj for obj in world.objects.of(gang) if obj["kind"] == "Pod"]
    annotated = [obj for obj in world.objects.of(gang.but(style="annotations")) if obj["kind"] == "Pod"]
    for pod, twin in zip(pods, annotated, strict=True):
        pod["metadata"]["annotations"] = twin["metadata"]["annotations"]

    submitted = world.submit(gang, objects=group + pods)

    assert submitted.is_bound_whole()
