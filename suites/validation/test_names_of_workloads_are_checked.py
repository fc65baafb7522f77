"""Names end up in labels, addresses and other names, so their form is part of the contract."""

from harness import World, case


@case(
    "A Workload MUST be called by a DNS subdomain.",
    clauses=["WL-03"],
)
def test_names_of_workloads_are_checked(world: World) -> None:
    native = world.native

    for good in ("a", "a.b-c.d1", "x" * 63 + ".y"):
        assert world.objects.accepts(native.workload(good), f"{good!r} is a name")
    for bad in ("Upper", "under_score", "-first", "last-", "a" * 254):
        assert world.objects.rejects(native.workload(bad), f"{bad!r} is no name", mention="metadata.name")
