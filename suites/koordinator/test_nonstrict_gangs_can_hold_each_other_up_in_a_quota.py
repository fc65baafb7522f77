"""The design's own example: a quota of ten, three gangs of five that keep what they have, and 3, 3 and 4 places taken.
The nodes have room for all of them; it is the quota that is full."""

from harness import Gang, World, case


@case(
    "Whether gangs that are not strict hold each other up in a quota is reported.",
    clauses=["KOORD-27"],
    needs=["nonstrict", "queue"],
    level="extended",
    disturbs="scheduler",
)
def test_nonstrict_gangs_can_hold_each_other_up_in_a_quota(world: World) -> None:
    world.nodes(1, gpus=16)
    queue = world.queues.add("ten", gpus=10)
    style = {"style": "nonstrict", "timeout": 60, "queue": queue}

    gangs = world.gangs.submit_in_turns(*(Gang(name, size=5, **style) for name in ("a", "b", "c")))
    world.until(lambda: sum(gang.bound for gang in gangs) == 10, "window")

    started = [gang.gang.name for gang in gangs if gang.bound >= 5]
    world.finds("two of three gangs start", started, count=2)
