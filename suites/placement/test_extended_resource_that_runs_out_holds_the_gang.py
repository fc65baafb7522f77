"""Some nodes have devices that others have not; a node that does not name a resource has none of it."""

from harness.cases.language import Gang, Object, World, case

FPGA = "example.com/fpga"


def computes(pod: Object) -> None:
    resources = pod["spec"]["containers"][0]["resources"]
    resources["requests"] = resources["limits"] = {**resources["requests"], FPGA: "1"}


@case(
    "A gang MUST NOT be bound in part when an extended resource runs out, and MUST be bound whole when there is more.",
    clauses=["GANG-02", "GANG-04", "GANG-42"],
    level="extended",
)
def test_extended_resource_that_runs_out_holds_the_gang(world: World) -> None:
    world.nodes(2, gpus=8)
    equipped = world.nodes(1, gpus=8, name="equipped", more={FPGA: "2"})
    gang = world.submit(Gang("computing", size=3, gpus=1), alter=computes)
    assert gang.is_refused()
    assert gang.stays_pending()

    equipped += world.nodes(1, gpus=8, name="equipped", more={FPGA: "2"})

    assert gang.is_bound_whole()
    assert world.are_on("all members are on nodes that have the resource", gang, within=equipped)
