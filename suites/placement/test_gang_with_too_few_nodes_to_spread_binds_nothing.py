"""GPUs in plenty, but one node fewer than members that exclude each other."""

from harness.cases.language import Gang, Object, World, case


def alone(pod: Object) -> None:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"muster.dev/gang": "apart"}}}
    pod["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


@case(
    "A gang whose members exclude each other MUST NOT be bound in part if there are fewer nodes than members.",
    clauses=["GANG-02", "GANG-11", "WL-47"],
)
def test_gang_with_too_few_nodes_to_spread_binds_nothing(world: World) -> None:
    world.nodes(3, gpus=8)

    gang = world.submit(Gang("apart", size=4, gpus=1), alter=alone)

    assert gang.is_refused()
    assert gang.stays_pending()
