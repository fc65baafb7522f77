"""Neither gang has surplus enough alone; together they have."""

from harness import Gang, World, case


@case(
    "When the surplus of two running gangs together is enough for a preemptor, how many are broken is reported.",
    clauses=["GANG-31"],
    needs=["quorum"],
    level="extended",
)
def test_surplus_is_gathered_over_gangs(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(6, gpus=1)
    elastic = [world.submit(Gang(name, size=3, quorum=2, gpus=1, priority=low)) for name in ("one", "two")]
    for running in elastic:
        assert running.is_bound_whole()

    gang = world.submit(Gang("urgent", size=2, gpus=1, priority=high))

    gang.is_bound_whole()
    for running in elastic:
        world.stand(f"gang {running.gang.name} keeps its quorum", running, least=2)
