"""What works today, without any gangConfig: the user writes Workload and gang, and refers to them in every template."""

from harness.case import case
from harness.jobsets import job, submit
from harness.native import Native, gang_policy
from harness.world import Object, World


@case(
    "With a Workload made by hand and references in every template the whole JobSet MUST be a gang.",
    clauses=["JSG-27"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_workload_by_hand_makes_the_jobset_a_gang(world: World) -> None:
    native = Native(world)
    own = native.reference("w-train", "pg-train", "pg-train")

    def refer(jobset: Object) -> None:
        for one in jobset["spec"]["replicatedJobs"]:
            one["template"]["spec"]["template"]["spec"][native.reference_field] = own

    target = {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": "train"}
    world.create(native.workload("w-train", {"pg-train": gang_policy(4)}, controllerRef=target))
    if not native.inline:
        world.create(native.group("pg-train", gang_policy(4), "w-train", "pg-train", label="train"))
    world.nodes(1, gpus=3)
    live = submit(world, job("driver", pods=2, gang="train"), job(pods=2, gang="train"), alter=refer)
    assert live.has_pods(4)
    assert live.gang.is_refused()

    world.nodes(1, gpus=1)
    assert live.gang.is_bound_whole()
    said = live.references()
    assert world.claim("pods name what their templates name", said == [own], str(said))
