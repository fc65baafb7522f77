"""A reference that cannot name anything is refused at once, instead of leaving the pod to wait for ever."""

from harness import World, case


@case(
    "A pod with an incomplete or malformed reference to its group MUST be refused.",
    clauses=["WL-15", "GANG-37"],
)
def test_reference_of_a_pod_is_checked(world: World) -> None:
    native = world.native
    good = native.reference("app", "members", "app")
    assert world.objects.accepts(native.pod("good", good), "a complete reference is accepted, object or not")

    for field in good:
        assert world.objects.rejects(
            native.pod("bad", {**good, field: "Not_A_Name"}), f"{field} must be a name", mention=native.reference_field
        )
        missing = {key: value for key, value in good.items() if key != field}
        assert world.objects.rejects(
            native.pod("bad", missing), f"{field} must be there", mention=native.reference_field
        )
