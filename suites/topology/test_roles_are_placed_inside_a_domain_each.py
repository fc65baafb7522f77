"""Three workers of each role, racks of four GPUs: filled up in order, the second role would begin in the first rack."""

from harness import Gang, Role, World, case


@case(
    "A role that asks for one domain MUST be bound inside one, whichever domain the other roles are in.",
    clauses=["GANG-24", "KAI-03"],
    needs=["roles", "role-topology"],
)
def test_roles_are_placed_inside_a_domain_each(world: World) -> None:
    world.nodes(4, gpus=2, racks=2)
    rack = world.cluster.RACK
    prefill, decode = Role("prefill", 3, topology=rack), Role("decode", 3, topology=rack)

    gang = world.submit(Gang("serving", roles=(prefill, decode)))

    assert gang.is_bound_whole()
    for role in ("prefill", "decode"):
        assert world.are_on(f"the role {role} is in one rack", gang, by=rack, role=role, count=1)
