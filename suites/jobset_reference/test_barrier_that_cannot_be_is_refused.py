"""What a barrier cannot mean is said at once, with the path of the field, not by pods that wait for ever."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case

ROOT = "spec.groupSchedulingConfig"


@case(
    "Targets that do not exist and time limits that are over SHOULD be refused, with their field path.",
    clauses=["REF-02"],
    needs=["jobset-barrier"],
)
def test_barrier_that_cannot_be_is_refused(world: World) -> None:
    for config, message in (
        ({"targetReplicatedJobs": ["workers", "worker"]}, f'{ROOT}.targetReplicatedJobs[1]: Invalid value: "worker"'),
        (
            {"targetReplicatedJobs": ["workers", "workers"]},
            f'{ROOT}.targetReplicatedJobs[1]: Duplicate value: "workers"',
        ),
        ({"timeoutAfterSeconds": 0}, f"{ROOT}.timeoutAfterSeconds: Invalid value: 0: must be greater than 0"),
        ({"timeoutAfterSeconds": -5}, f"{ROOT}.timeoutAfterSeconds: Invalid value: -5: must be greater than 0"),
        ({"timeoutAfterSeconds": "soon"}, f"{ROOT}.timeoutAfterSeconds"),
        ({"targetReplicatedJobs": "workers"}, f"{ROOT}.targetReplicatedJobs"),
    ):
        obj = world.objects.of(BarrierJobSet(ReplicatedJob(), name="wrong"))[0]
        obj["spec"]["groupSchedulingConfig"] = config
        assert world.objects.rejects(obj, f"{config} is refused", mention=message)
