"""Each of two running gangs has exactly its quorum, and one of them would be enough."""

from harness import Gang, World, case


@case(
    "When one of two tight gangs is enough for a preemptor, how many are broken is reported.",
    clauses=["GANG-31"],
    level="extended",
)
def test_one_gang_is_broken_rather_than_two(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    tight = [world.submit(Gang(name, size=4, gpus=1, priority=low)) for name in ("one", "two")]
    for running in tight:
        assert running.is_bound_whole()

    gang = world.submit(Gang("urgent", size=4, gpus=1, priority=high))

    gang.is_bound_whole()
    broken = [running.gang.name for running in tight if running.bound < 4]
    world.finds("only one gang is broken", broken, count=1)
