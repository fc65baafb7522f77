"""A set is scaled up further than there is room for: the last replica waits, as one."""

from harness.cases.language import LWS, World, case


@case(
    "A new replica without room for all of it MUST wait whole while the others run.",
    clauses=["LWS-31", "LWS-03", "LWS-05"],
)
def test_replicas_that_grow_beyond_the_room_wait_whole(world: World) -> None:
    world.nodes(1, gpus=5)
    lws = world.submit(LWS(replicas=1, size=2))
    assert lws.is_bound_whole()

    lws.scale(3)

    assert lws.is_complete()
    waiting = lws.all_but_one_run()
    assert waiting is not None
    assert waiting.is_refused()
    assert waiting.stays_pending()
