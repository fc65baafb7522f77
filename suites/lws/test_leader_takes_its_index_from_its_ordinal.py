"""The index of a replica is nowhere but in its leader's name until admission reads it from there."""

from harness.cases.language import INDEX_LABEL, LWS, World, case


@case(
    "A leader MUST get its index from its ordinal at admission, and without an ordinal it MUST be refused.",
    clauses=["LWS-12"],
)
def test_leader_takes_its_index_from_its_ordinal(world: World) -> None:
    world.nodes(1, gpus=2)
    lws = world.submit(LWS(size=2))
    assert lws.is_bound_whole()

    stored = world.objects.dry_run(lws.planned_pod("serve", "serve-7"))
    index = stored if isinstance(stored, str) else stored["metadata"]["labels"].get(INDEX_LABEL)

    assert world.finds("leader serve-7 gets the index 7", index, equals="7")
    nameless = lws.planned_pod("serve", "serve-leader")
    assert world.objects.rejects(nameless, "a leader without an ordinal is refused", mention="ordinal")
