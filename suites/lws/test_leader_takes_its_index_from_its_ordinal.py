"""The index of a replica is nowhere but in its leader's name until admission reads it from there."""

from harness.cases.language import INDEX_LABEL, LWS, World, case


@case(
    "A leader MUST get its index from its ordinal at admission, and without an ordinal it MUST be refused.",
    clauses=["LWS-12"],
)
def test_leader_takes_its_index_from_its_ordinal(world: World) -> None:
    world.nodes(1, gpus=2)
    live = world.submit(LWS(size=2))
    assert live.is_bound_whole()

    stored = world.objects.dry_run(live.planned_pod("serve", "serve-7"))
    labels = {} if isinstance(stored, str) else stored["metadata"]["labels"]

    assert world.claim("leader serve-7 gets the index 7", labels.get(INDEX_LABEL) == "7", str(stored)[:200])
    nameless = live.planned_pod("serve", "serve-leader")
    assert world.objects.rejects(nameless, "a leader without an ordinal is refused", mention="ordinal")
