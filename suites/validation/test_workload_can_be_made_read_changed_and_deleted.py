"""The object has to behave like any other before it can mean anything."""

from harness import World, case


@case(
    "A Workload MUST be creatable, readable, listable, changeable in its metadata and deletable.",
    clauses=["WL-01"],
)
def test_workload_can_be_made_read_changed_and_deleted(world: World) -> None:
    kind = (world.native.version, "Workload")

    assert world.objects.accepts(world.native.workload("app"), "a Workload can be created")
    read = world.objects.get(kind, "app")
    listed = [workload["metadata"]["name"] for workload in world.objects.all_of(kind)]
    changed = world.objects.change(kind, "app", {"metadata": {"labels": {"example.com/seen": "yes"}}})
    assert world.sees(
        "it can be watched", lambda: world.objects.first_revision("Workload.scheduling.k8s.io", "app"), least=1
    )
    world.objects.delete(kind, "app")

    names = [group["name"] for group in next(iter(read["spec"].values()))]
    assert world.finds("it can be read", names, equals=["members"])
    assert world.finds("it can be listed", listed, equals=["app"])
    labels = changed["metadata"].get("labels") or {}
    assert world.finds("it can be changed", labels.get("example.com/seen"), equals="yes")
    assert world.finds("it can be deleted", world.objects.find(kind, "app"), count=0)
