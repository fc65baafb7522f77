"""Who counts pods by the name of a container cannot share that name."""

from harness.cases.language import INIT, BarrierJobSet, ReplicatedJob, World, case, template


@case(
    "A main container under the reserved name MUST be refused.",
    clauses=["BAR-04"],
)
def test_name_of_the_waiting_container_is_reserved(world: World) -> None:
    main = world.objects.of(BarrierJobSet(ReplicatedJob(), name="main"))[0]
    template(main, "workers")["containers"][0]["name"] = INIT
    assert world.objects.rejects(main, "a main container has the name", mention=INIT)

    unasked = world.objects.of(BarrierJobSet(ReplicatedJob(), name="unasked", asks=False, suspended=True))[0]
    template(unasked, "workers")["containers"][0]["name"] = INIT
    assert world.objects.accepts(unasked, "a JobSet that asks for no barrier may use the name")
