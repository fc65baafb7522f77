"""A pod that is stored first and told its gang later can be bound in between. Admission leaves no such moment."""

from harness.cases.language import LWS, World, case


@case(
    "No pod of a set MUST ever be stored without the name of its gang.",
    clauses=["LWS-17", "LWS-14"],
)
def test_pods_get_their_place_at_admission(world: World) -> None:
    world.nodes(1, gpus=2)
    live = world.submit(LWS(size=2))
    assert live.is_bound_whole()
    leader = world.objects.dry_run(live.planned_pod("serve", "serve-7"))
    worker = world.objects.dry_run(live.planned_pod("serve-0", "serve-0-7"))
    place, shared = (live.place(pod) if not isinstance(pod, str) else "" for pod in (leader, worker))
    assert world.claim("a leader is given a gang of its own at admission", place not in ("", shared), str(leader)[:200])
    joins = shared == live.place(live.leader())
    assert world.claim("a worker is given its leader's gang at admission", joins, str(worker)[:200])
    bare = [pod["metadata"]["name"] for pod in live.pods() if not live.place(pod)]
    assert world.claim("every stored pod names its gang", not bare, ", ".join(bare))
