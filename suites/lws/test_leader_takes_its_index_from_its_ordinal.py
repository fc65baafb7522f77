"""The index of a replica is nowhere but in its leader's name until admission reads it from there."""

from harness.case import case
from harness.leaderworker import INDEX_LABEL, submit
from harness.leaderworker_seen import answer_to, pod_of
from harness.world import World


@case(
    "A leader MUST get its index from its ordinal at admission, and without an ordinal it MUST be refused.",
    clauses=["LWS-12"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_leader_takes_its_index_from_its_ordinal(world: World) -> None:
    world.nodes(1, gpus=2)
    live = submit(world, size=2)
    assert live.is_placed_whole()
    template = live.statefulset("serve")

    stored = answer_to(world, pod_of(template, "serve-7", world.namespace))
    labels = {} if isinstance(stored, str) else stored["metadata"]["labels"]

    assert world.claim("leader serve-7 gets the index 7", labels.get(INDEX_LABEL) == "7", str(stored)[:200])
    nameless = pod_of(template, "serve-leader", world.namespace)
    assert world.rejects(nameless, "a leader without an ordinal is refused", mention="ordinal")
