"""Ten places, three gangs of five, and each keeps what it has: the design itself names the deadlock."""

from harness import Gang, World, case


@case(
    "Whether gangs that are not strict hold each other up is reported.",
    clauses=["KOORD-27"],
    needs=["nonstrict"],
    level="extended",
    disturbs="scheduler",
)
def test_nonstrict_gangs_can_hold_each_other_up(world: World) -> None:
    world.nodes(1, gpus=10)

    gangs = world.gangs.submit_in_turns(
        *(Gang(name, size=5, gpus=1, style="nonstrict", timeout=60) for name in ("a", "b", "c"))
    )
    world.until(lambda: sum(gang.bound for gang in gangs) == 10, "window")

    started = [gang.gang.name for gang in gangs if gang.bound >= 5]
    world.finds("two of three gangs start", started, count=2)
