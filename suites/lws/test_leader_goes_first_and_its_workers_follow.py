"""Workers are made when their leader is ready. A gang that waited for them would wait for ever."""

from harness.cases.language import LEADER_READY, LWS, World, case


@case(
    "With the startup policy LeaderReady the leader MUST be bound before any worker exists.",
    clauses=["LWS-23"],
)
def test_leader_goes_first_and_its_workers_follow(world: World) -> None:
    world.nodes(1, gpus=4)

    lws = world.submit(LWS(size=4, startup=LEADER_READY))

    assert lws.is_bound_whole()
    bound = world.objects.first_revision("Pod", "serve-0", "bound")
    worker = world.objects.first_revision("Pod", "serve-0-1")
    assert world.finds("the leader was bound before a worker existed", bound, most=worker - 1)
