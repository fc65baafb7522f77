"""Two gangs hold a node each. One has a second, the other an hour: only the first one's node becomes free."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "The time that a gang asks for MUST be the one that counts, not that of others.",
    clauses=["GANG-23", "KOORD-14", "KOORD-36"],
    needs=["gang", "timeout", "nonstrict"],
    profile="GANG-TIMEOUT",
    level="extended",
)
def test_shorter_time_lets_go_while_a_longer_one_still_holds(world: World) -> None:
    one, two = {"example.com/half": "one"}, {"example.com/half": "two"}
    expected = world.nodes(1, gpus=6, name="one", labels=one)
    world.nodes(1, gpus=6, name="two", labels=two)
    brief = world.submit(Gang("brief", size=4, gpus=2, timeout=2, selector=one, style="nonstrict"))
    patient = world.submit(Gang("patient", size=4, gpus=2, timeout=3600, selector=two, style="nonstrict"))
    assert brief.is_refused()
    assert patient.is_refused()

    single = world.pod(gpus=6)

    assert world.starts(single, deadline="released")
    where = {pod.state.get("node") for pod in world.recorder.live["Pod"].values() if pod.name == single}
    assert world.claim("the node of the brief gang became free", where == {*expected}, str(where))
