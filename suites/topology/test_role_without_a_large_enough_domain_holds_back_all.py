"""Five workers of a role must share a rack of four GPUs. The other role would fit, and so would all without racks."""

from harness import Gang, Role, World, case


@case(
    "A gang of which one role has no domain that is large enough MUST NOT have a member bound.",
    clauses=["GANG-02", "GANG-24", "KAI-03"],
    needs=["roles", "role-topology"],
)
def test_role_without_a_large_enough_domain_holds_back_all(world: World) -> None:
    world.nodes(4, gpus=2, racks=2)
    rack = world.cluster.RACK

    gang = world.submit(Gang("serving", roles=(Role("prefill", 2, topology=rack), Role("decode", 5, topology=rack))))

    assert gang.is_refused()
    assert gang.stays_pending()
