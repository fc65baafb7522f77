"""The object asks for six of four pods, which can never be; the pods say four."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Where the pods' annotations and their object differ, the annotations MUST count.",
    clauses=["KOORD-11"],
    needs=["gang", "quorum", "annotations", "group-object"],
    profile="KOORDINATOR",
    level="extended",
)
def test_annotations_of_pods_go_before_the_object(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = Gang("both", size=4, quorum=4, gpus=2)
    group = [obj for obj in world.objects_of(gang.but(quorum=6)) if obj["kind"] != "Pod"]
    pods = [obj for obj in world.objects_of(gang) if obj["kind"] == "Pod"]
    said = [obj for obj in world.objects_of(gang.but(style="annotations")) if obj["kind"] == "Pod"]
    for pod, twin in zip(pods, said, strict=True):
        pod["metadata"]["annotations"] = twin["metadata"]["annotations"]

    live = world.submit(gang, objects=group + pods)

    assert live.is_bound_whole()
