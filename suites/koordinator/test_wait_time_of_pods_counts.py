"""Two gangs without objects hold a node each. The pods of one state a second, those of the other an hour."""

from harness import Gang, World, case


@case(
    "The wait time that the pods of a gang state MUST be the one that counts for it.",
    clauses=["KOORD-36", "KOORD-37", "KOORD-50"],
    needs=["timeout", "nonstrict", "annotations"],
    level="extended",
)
def test_wait_time_of_pods_counts(world: World) -> None:
    first, second = {"example.com/half": "one"}, {"example.com/half": "two"}
    expected = world.nodes(1, gpus=6, name="one", labels=first)
    world.nodes(1, gpus=6, name="two", labels=second)
    style = "annotations+nonstrict"
    brief = world.submit(Gang("brief", size=4, gpus=2, timeout=2, selector=first, style=style))
    patient = world.submit(Gang("patient", size=4, gpus=2, timeout=3600, selector=second, style=style))
    assert brief.is_refused()
    assert patient.is_refused()

    single = world.pod(gpus=6)

    assert world.is_bound(single, deadline="released")
    assert world.are_on("the node of the brief gang became free", single, equals=expected)
