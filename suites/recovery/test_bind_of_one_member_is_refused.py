"""An admission policy refuses the bind of one member, as a quota webhook may. What then happens to the others is a
question no design answers; this case writes down what is seen, and holds the scheduler to finishing afterwards."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "When the bind of one member is refused, what becomes of the gang is reported.",
    clauses=["GANG-29", "KOORD-34"],
    strength="OBSERVE",
    profile="GANG-RECOVERY",
    level="extended",
)
def test_bind_of_one_member_is_refused(world: World) -> None:
    world.nodes(2, gpus=4)
    world.refuse_bind("victim-2")

    gang = world.submit(Gang("victim", size=4, gpus=2))
    world.until(lambda: gang.bound == 3, "window")
    others = gang.bound
    world.passes()
    kept = gang.bound
    world.claim("bound members are taken back when one cannot be bound", kept == 0, f"{kept} of {others} stay bound")
    world.allow_bind()

    gang.is_bound_whole()
