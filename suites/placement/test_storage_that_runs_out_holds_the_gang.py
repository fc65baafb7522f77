"""Space on the disks of nodes is requested like any resource, and few look at it."""

from harness.cases.language import Gang, Object, World, case

DISK = {"ephemeral-storage": "20Gi"}


def writes(pod: Object) -> None:
    resources = pod["spec"]["containers"][0]["resources"]
    resources["requests"] = resources["limits"] = {**resources["requests"], "ephemeral-storage": "15Gi"}


@case(
    "A gang MUST NOT be bound in part when storage of nodes runs out, and MUST be bound whole when there is more.",
    clauses=["GANG-02", "GANG-04", "GANG-42"],
    level="extended",
)
def test_storage_that_runs_out_holds_the_gang(world: World) -> None:
    world.nodes(2, gpus=8, more=DISK)
    gang = world.submit(Gang("writers", size=3, gpus=1), alter=writes)
    assert gang.is_refused()
    assert gang.stays_pending()

    world.nodes(1, gpus=8, more=DISK)

    assert gang.is_bound_whole()
