"""Three jobs of two gangs each arrive in one stream, pod by pod in turns. There is room for two and a half of them: two
jobs run, the third waits with both its gangs, and no job waits for the gangs of another."""

from harness import Gang, World, case


@case(
    "Of groups of gangs whose pods come in turns each MUST be bound whole or not at all, and as many as fit MUST be.",
    clauses=["GANG-33", "KOORD-29", "KOORD-30", "KOORD-31", "KOORD-48"],
    needs=["gang-group"],
)
def test_groups_of_gangs_in_turns_start_whole(world: World) -> None:
    world.nodes(2, gpus=5)
    names = [(f"{job}-server", f"{job}-worker") for job in ("a", "b", "c")]
    gangs = world.gangs.submit_in_turns(
        *(Gang(name, size=2, group=(other,)) for pair in names for name, other in (pair, pair[::-1]))
    )
    jobs = list(zip(gangs[::2], gangs[1::2], strict=True))

    def bound() -> list[int]:
        return sorted(sum(gang.bound for gang in job) for job in jobs)

    world.until(lambda: bound() == [0, 4, 4], "drained")
    assert world.scheduler_is_working()  # a moment earlier the third may still be about to start in part
    assert world.finds("two groups of gangs are bound whole and the third not at all", bound(), equals=[0, 4, 4])
    (waiting,) = [job for job in jobs if not any(gang.bound for gang in job)]
    assert waiting[0].stays_pending()
    assert waiting[1].stays_pending()
    for gang in next(job for job in jobs if job is not waiting):
        gang.delete()
    for gang in waiting:
        assert gang.is_bound_whole()
