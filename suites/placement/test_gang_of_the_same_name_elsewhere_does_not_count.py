"""Two namespaces, one name, half a quorum each: added up they would start, and they must not be added up."""

from harness import Gang, World, case


@case(
    "Members of a gang of the same name in another namespace MUST NOT count towards the quorum.",
    clauses=["GANG-08", "WL-19", "WL-31"],
)
def test_gang_of_the_same_name_elsewhere_does_not_count(world: World) -> None:
    world.nodes(2, gpus=4)
    half = Gang("twin", size=4, gpus=1, missing=2)

    here = world.submit(half)
    there = world.submit(half, namespace=world.cluster.another_namespace())
    assert here.is_refused()
    assert there.is_refused()
    here.create_missing()

    assert here.is_bound_whole()
    assert there.stays_pending()
