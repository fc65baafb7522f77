"""The queue of the job allows three of its four pods, and the nodes have room for all."""

from harness import Gang, World, case


@case(
    "A job that exceeds the limit of its queue MUST NOT have a pod bound, and MUST be bound whole in a larger queue.",
    clauses=["VCJ-04", "GANG-25"],
    needs=["vcjob", "queue"],
)
def test_vcjob_over_the_limit_of_its_queue_waits_whole(world: World) -> None:
    world.nodes(4, gpus=4)
    narrow, wide = world.queues.add("narrow", gpus=6), world.queues.add("wide", gpus=8)

    over = world.submit(Gang("over", size=4, gpus=2, queue=narrow, style="vcjob"))
    within = world.submit(Gang("within", size=4, gpus=2, queue=wide, style="vcjob"))

    assert within.is_bound_whole()
    assert over.is_refused()
    assert over.stays_pending()
