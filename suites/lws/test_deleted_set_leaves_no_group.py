"""A set is deleted while one replica runs and one waits. Groups that stay behind would be gangs without pods."""

from harness.cases.language import LWS, World, case


@case(
    "Nothing of a set MUST be left after its deletion, neither pods nor groups.",
    clauses=["LWS-32"],
)
def test_deleted_set_leaves_no_group(world: World) -> None:
    world.nodes(1, gpus=2)
    lws = world.submit(LWS(replicas=2, size=2))
    assert lws.is_complete()
    verdict, _ = world.gangs.one_of(*lws.gangs)
    assert verdict

    lws.delete()

    assert all(gang.is_gone() for gang in lws.gangs)
    assert world.sees("no group is left", lws.groups, "gone", count=0)
