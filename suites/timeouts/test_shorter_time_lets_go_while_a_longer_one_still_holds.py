"""Two gangs hold a node each. One has a second, the other an hour: only the first one's node becomes free."""

from harness import Gang, World, case


@case(
    "The time that a gang asks for MUST be the one that counts, not that of others.",
    clauses=["GANG-23", "KOORD-14", "KOORD-36"],
    needs=["timeout", "nonstrict"],
    level="extended",
)
def test_shorter_time_lets_go_while_a_longer_one_still_holds(world: World) -> None:
    first, second = {"example.com/half": "one"}, {"example.com/half": "two"}
    expected = world.nodes(1, gpus=6, name="one", labels=first)
    world.nodes(1, gpus=6, name="two", labels=second)
    brief = world.submit(Gang("brief", size=4, gpus=2, timeout=2, selector=first, style="nonstrict"))
    patient = world.submit(Gang("patient", size=4, gpus=2, timeout=3600, selector=second, style="nonstrict"))
    assert brief.is_refused()
    assert patient.is_refused()

    single = world.pod(gpus=6)

    assert world.is_bound(single, deadline="released")
    assert world.are_on("the node of the brief gang became free", single, equals=expected)
