"""Two kinds of victims would do, and one of them is protected by a disruption budget."""

from harness.cases.language import Gang, Object, World, case


def guarded(pod: Object) -> None:
    pod["metadata"]["labels"]["example.com/guarded"] = "yes"


@case(
    "A gang SHOULD NOT evict pods against their disruption budget while others would have been enough.",
    clauses=["GANG-21"],
)
def test_budget_is_honoured_where_others_can_fall(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(18, gpus=2)
    world.objects.create(
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "guard", "namespace": world.namespace},
            "spec": {"minAvailable": 15, "selector": {"matchLabels": {"example.com/guarded": "yes"}}},
        }
    )
    safe = [world.pod(gpus=2, priority=low, alter=guarded) for _ in range(15)]  # so many that it is no accident
    free = [world.pod(gpus=2, priority=low) for _ in range(3)]
    assert world.is_bound(*safe, *free)

    gang = world.submit(Gang("urgent", size=3, gpus=2, priority=high))

    assert gang.is_bound_whole()
    assert world.stand("guarded pods were spared", *safe, least=15)
