"""A pod that is stored first and told its gang later can be bound in between. Admission leaves no such moment."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_seen import answer_to, pod_of
from harness.world import World


@case(
    "No pod of a set MUST ever be stored without the name of its gang.",
    clauses=["LWS-17", "LWS-14"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_pods_get_their_place_at_admission(world: World) -> None:
    world.nodes(1, gpus=2)
    live = submit(world, size=2)
    assert live.is_placed_whole()
    leader = answer_to(world, pod_of(live.statefulset("serve"), "serve-7", world.namespace))
    worker = answer_to(world, pod_of(live.statefulset("serve-0"), "serve-0-7", world.namespace))

    own, shared = (live.place(pod) if not isinstance(pod, str) else "" for pod in (leader, worker))
    assert world.claim("a leader is given a gang of its own at admission", own not in ("", shared), str(leader)[:200])
    joins = shared == live.place(live.leader())
    assert world.claim("a worker is given its leader's gang at admission", joins, str(worker)[:200])
    bare = [pod["metadata"]["name"] for pod in live.pods() if not live.place(pod)]
    assert world.claim("every stored pod names its gang", not bare, ", ".join(bare))
