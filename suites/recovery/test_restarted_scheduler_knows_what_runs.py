"""After a restart the books are empty. A scheduler that counts running gangs as free room overbooks."""

from harness import Gang, World, case


@case(
    "A restarted scheduler MUST count gangs that run: one that does not fit beside them waits, and starts later.",
    clauses=["GANG-04", "GANG-16", "WL-78"],
    needs=["restart-safe"],
    disturbs="scheduler",
)
def test_restarted_scheduler_knows_what_runs(world: World) -> None:
    world.nodes(2, gpus=4)
    first = world.submit(Gang("first", size=4, gpus=2))
    assert first.is_bound_whole()

    world.faults.restart("scheduler")
    second = world.submit(Gang("second", size=2, gpus=2))
    assert second.is_refused()
    first.delete()

    assert second.is_bound_whole()
