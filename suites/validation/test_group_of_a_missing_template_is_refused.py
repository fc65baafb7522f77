"""1.36 looks at the Workload once, when the PodGroup is created; 1.35 had no PodGroups and 1.37 does not look."""

from harness.case import case
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "A PodGroup that refers to a Workload or template that does not exist MUST be refused.",
    clauses=["GANG-37"],
    needs=["workload-object", "group-object"],
    profile="WORKLOAD-API",
    kubernetes=">=1.36,<1.37",
)
def test_group_of_a_missing_template_is_refused(world: World) -> None:
    native = Native(world)
    assert world.accepts(native.workload("app", {"members": gang_policy(2)}), "a Workload can be created")

    good = native.group("good", gang_policy(2), "app", "members")
    assert world.accepts(good, "a PodGroup of an existing template is accepted")
    orphan = native.group("orphan", gang_policy(2), "nowhere", "members")
    assert world.rejects(orphan, "a PodGroup of a missing Workload is refused", mention="nowhere")
    stray = native.group("stray", gang_policy(2), "app", "others")

    assert world.rejects(stray, "a PodGroup of a missing template is refused", mention="others")
