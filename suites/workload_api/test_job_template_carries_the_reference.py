"""Nobody writes pods by hand. The reference goes through the Job's template, and what comes out is a gang."""

from harness import Gang, World, case


@case(
    "A reference in the template of a Job MUST reach its pods, and they MUST be bound as a gang.",
    clauses=["WL-02", "WL-20"],
    needs=["gang"],
)
def test_job_template_carries_the_reference(world: World) -> None:
    native = world.native
    world.nodes(1, gpus=4)
    blocker = world.pod(gpus=2)
    assert world.is_bound(blocker)
    gang = Gang("training", size=4, gpus=1)
    objects = [native.workload("training", {"members": native.gang_policy(4)})]
    objects += [] if native.inline else [native.group("training", native.gang_policy(4), "training", "members")]

    submitted = world.submit(gang, objects=objects)
    world.objects.create(native.job("training", 4, native.reference("training", "members", "training")))
    assert world.claim("the Job makes its pods", world.until(lambda: len(submitted.pods()) == 4, "bound") or None)
    assert submitted.is_refused()
    world.delete(blocker)

    assert submitted.is_bound_whole()
