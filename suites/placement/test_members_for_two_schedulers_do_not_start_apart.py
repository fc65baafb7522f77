"""One member has been given to a scheduler that does not exist; the others are a gang with a hole in it."""

from harness.cases.language import Gang, Object, World, case


def one_elsewhere(pod: Object) -> None:
    if pod["metadata"]["name"].endswith("-0"):
        pod["spec"]["schedulerName"] = "nobody"


@case(
    "A gang of which one member names another scheduler MUST NOT be bound in part.",
    clauses=["GANG-02", "GANG-37", "WL-29"],
    level="extended",
)
def test_members_for_two_schedulers_do_not_start_apart(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("torn", size=4, gpus=1), alter=one_elsewhere)

    assert gang.stays_pending()
