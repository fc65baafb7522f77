"""What a barrier cannot mean is said at once, with the path of the field, not by pods that wait for ever."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World

ROOT = "spec.groupSchedulingConfig"


@case(
    "Targets that do not exist and time limits that are over SHOULD be refused, with their field path.",
    clauses=["BAR-03", "BAR-18"], needs=["jobset-barrier"], profile="JOBSET-BARRIER", strength="SHOULD",
)  # fmt: skip
def test_barrier_that_cannot_be_is_refused(world: World) -> None:
    for config, said in (
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
        obj = BarrierSet(world, "wrong", ReplicatedJob()).object
        obj["spec"]["groupSchedulingConfig"] = config
        assert world.rejects(obj, f"{config} is refused", mention=said)
