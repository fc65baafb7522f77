"""The new scheduler must not start in part what the old one refused."""

from harness import Gang, World, case


@case(
    "A gang without room MUST NOT be bound in part after a restart of the scheduler.",
    clauses=["GANG-02", "GANG-16", "WL-35"],
    needs=["restart-safe"],
    disturbs="scheduler",
)
def test_scheduler_restarted_while_a_gang_waits_still_refuses_it(world: World) -> None:
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.faults.restart("scheduler")

    assert gang.stays_pending()
