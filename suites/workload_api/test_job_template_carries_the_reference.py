"""Nobody writes pods by hand. The reference goes through the Job's template, and what comes out is a gang."""

from harness.case import case
from harness.core.gang import Gang
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "A reference in the template of a Job MUST reach its pods, and they MUST be bound as a gang.",
    clauses=["WL-02", "WL-20"],
    needs=["gang", "workload-object"],
    profile="WORKLOAD-API",
)
def test_job_template_carries_the_reference(world: World) -> None:
    native = Native(world)
    world.nodes(1, gpus=4)
    blocker = world.pod(gpus=2)
    assert world.starts(blocker)
    gang = Gang("training", size=4, gpus=1)
    objects = [native.workload("training", {"members": gang_policy(4)})]
    objects += [] if native.inline else [native.group("training", gang_policy(4), "training", "members")]

    live = world.submit(gang, objects=objects)
    world.create(native.job("training", 4, native.reference("training", "members", "training")))
    assert world.until(lambda: len(live.members()) == 4, "bound")
    assert live.is_refused()
    world.delete_pod(blocker)

    assert live.is_bound_whole()
