"""An admission policy refuses the bind of one member, as a quota webhook may. What then happens to the others is a
question no design answers; this case writes down what is seen, and holds the scheduler to finishing afterwards."""

from harness import Gang, World, case


@case(
    "When the bind of one member is refused, what happens to the gang is reported.",
    clauses=["GANG-29"],
    level="extended",
)
def test_bind_of_one_member_is_refused(world: World) -> None:
    world.nodes(2, gpus=4)
    world.api_server.refuse_bind("victim-2")

    gang = world.submit(Gang("victim", size=4, gpus=2))
    world.until(lambda: gang.bound == 3, "window")
    world.scheduler_is_working()
    world.stand("bound members are taken back when one cannot be bound", gang, most=0)
    world.api_server.allow_bind()

    gang.is_bound_whole()
