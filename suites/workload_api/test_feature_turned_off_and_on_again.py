"""An upgrade that is taken back, and then done after all. What was stored must still be there, and must work again.
For the history the stored gang is one of quorum one, since with the feature off nothing else is promised."""

from harness import Gang, World, case


@case(
    "With the API off no Workload MUST be created, what is stored MUST stay, and MUST work when the API is on again.",
    clauses=["WL-21", "WL-22", "WL-23"],
    needs=["gang"],
    level="extended",
    disturbs="control-plane",
)
def test_feature_turned_off_and_on_again(world: World) -> None:
    native, policy = world.native, world.native.gang_policy(4)
    world.nodes(1, gpus=4)
    stored = native.workload("stored", {"members": policy})
    world.objects.create(stored)
    gang = Gang("stored-one", size=4, quorum=1, gpus=2)
    submitted = world.submit(gang, objects=native.members(gang, policy, "stored", "members"))
    assert submitted.is_refused()
    assert world.is_at_rest()

    world.faults.set_gang_gates(on=False)
    assert world.objects.rejects(native.workload("late"), "no Workload can be created while the API is off")
    world.objects.create(native.pod("late", native.reference("late", "members", "late")))
    reference = world.objects.get(("v1", "Pod"), "late")["spec"].get(native.reference_field)
    assert world.finds("a pod cannot be given a reference", reference or {}, count=0)
    stored_reference = world.objects.get(("v1", "Pod"), "stored-one-0")["spec"].get(native.reference_field)
    assert world.finds("a stored reference stays", stored_reference, least=1)
    assert world.stand("members are placed one by one", submitted, least=2, most=2, deadline="reconnected")

    world.faults.set_gang_gates(on=True)
    workload = world.objects.find((native.version, "Workload"), "stored")
    assert world.finds("a stored Workload stays", workload, least=1)
    world.nodes(1, gpus=6)
    assert submitted.is_bound_whole("reconnected")
    assert world.submit(Gang("after", size=4, gpus=2)).is_refused()
