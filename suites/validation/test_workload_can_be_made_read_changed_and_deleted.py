"""The object has to behave like any other before it can mean anything."""

from harness.case import case
from harness.native import Native
from harness.world import World


@case(
    "A Workload MUST be creatable, readable, listable, changeable in its metadata and deletable.",
    clauses=["WL-01"],
    needs=["workload-object"],
    profile="WORKLOAD-API",
)
def test_workload_can_be_made_read_changed_and_deleted(world: World) -> None:
    api, home = world.api, world.namespace
    made = Native(world).workload("app")

    assert world.accepts(made, "a Workload can be created")
    resource = api.resource(made["apiVersion"], "Workload")
    read = api.get(resource, home, "app")
    listed = [one["metadata"]["name"] for one in api.list(resource, home)]
    changed = api.patch(resource, home, "app", {"metadata": {"labels": {"example.com/seen": "yes"}}})
    watched = world.recorder.live["Workload.scheduling.k8s.io"]
    seen = world.until(lambda: any(one.name == "app" for one in watched.values()), "bound")
    deleted = api.delete(resource, home, "app")

    names = [group["name"] for group in next(iter(read["spec"].values()))]
    assert world.claim("it can be read", names == ["members"], str(read["spec"]))
    assert world.claim("it can be listed", listed == ["app"], str(listed))
    assert world.claim("it can be watched", seen)
    assert world.claim("it can be changed", changed["metadata"]["labels"] == {"example.com/seen": "yes"})
    assert world.claim("it can be deleted", deleted and api.find(resource, home, "app") is None)
