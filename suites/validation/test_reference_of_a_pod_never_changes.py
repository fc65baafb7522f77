"""A pod that changed sides while its gang is being counted would count twice, or not at all."""

from harness import World, case


@case(
    "A pod's reference to its group MUST NOT change.",
    clauses=["WL-17"],
)
def test_reference_of_a_pod_never_changes(world: World) -> None:
    native = world.native
    pod = native.pod("member", native.reference("app", "members", "app"))
    assert world.objects.accepts(pod, "a pod with a reference can be created")

    for field in native.reference("app", "members", "app"):
        change = {"spec": {native.reference_field: {field: "other"}}}
        assert world.objects.rejects_change(pod, change, f"{field} cannot be changed", mention="spec")
    gone = {"spec": {native.reference_field: None}}

    assert world.objects.rejects_change(pod, gone, "the reference cannot be removed", mention="spec")
