"""1.36 looks at the Workload once, when the PodGroup is created; 1.35 had no PodGroups and 1.37 does not look."""

from harness import World, case


@case(
    "A PodGroup that refers to a Workload or template that does not exist MUST be refused.",
    clauses=["GANG-37"],
    needs=["group-object"],
    kubernetes=">=1.36,<1.37",
)
def test_group_of_a_missing_template_is_refused(world: World) -> None:
    native = world.native
    assert world.objects.accepts(
        native.workload("app", {"members": native.gang_policy(2)}), "a Workload can be created"
    )

    good = native.group("good", native.gang_policy(2), "app", "members")
    assert world.objects.accepts(good, "a PodGroup of an existing template is accepted")
    orphan = native.group("orphan", native.gang_policy(2), "nowhere", "members")
    assert world.objects.rejects(orphan, "a PodGroup of a missing Workload is refused", mention="nowhere")
    stray = native.group("stray", native.gang_policy(2), "app", "others")

    assert world.objects.rejects(stray, "a PodGroup of a missing template is refused", mention="others")
