"""Kubernetes itself ends every wait at Permit after fifteen minutes. The design knows it and asks for nothing."""

from harness import Gang, World, case


@case(
    "Whether a wait time of more than a quarter of an hour is cut short is reported.",
    clauses=["KOORD-41"],
    needs=["timeout", "nonstrict"],
    level="extended",
    slow=True,
)
def test_wait_times_beyond_a_quarter_of_an_hour_are_cut_short(world: World) -> None:
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("patient", size=4, gpus=2, timeout=3600, style="nonstrict"))
    assert gang.is_refused()

    single = world.pod(gpus=6)

    world.until(lambda: bool(world.cluster.node_of(single)), "quarter")
    world.stand("places are kept for an hour", single, most=0)
