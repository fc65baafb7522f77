"""It is there for tools that lead a user back to the thing he made."""

from harness import World, case


@case(
    "A controllerRef MUST name kind and name, and its apiGroup MUST be empty or a DNS subdomain.",
    clauses=["WL-10"],
)
def test_controller_reference_is_checked(world: World) -> None:
    native = world.native
    good = {"apiGroup": "batch", "kind": "Job", "name": "training"}

    assert world.objects.accepts(native.workload("none"), "controllerRef may be left out")
    assert world.objects.accepts(native.workload("full", controllerRef=good), "a complete controllerRef is accepted")
    core = {"kind": "Pod", "name": "training"}
    assert world.objects.accepts(native.workload("core", controllerRef=core), "apiGroup may be left out")
    for field, value in (("kind", ""), ("name", ""), ("kind", "a/b"), ("name", "a/b"), ("apiGroup", "Not A Domain")):
        bad = native.workload("bad", controllerRef={**good, field: value})
        assert world.objects.rejects(bad, f"controllerRef.{field} cannot be {value!r}", mention="controllerRef")
