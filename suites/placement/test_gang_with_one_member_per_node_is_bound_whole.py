"""Members that must not share a node are the usual shape of a training job, and the order in which they are tried
matters: the last one finds only the last node."""

from harness.cases.language import Gang, Object, World, case


def alone(pod: Object) -> None:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"muster.dev/gang": "apart"}}}
    pod["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


@case(
    "A gang whose members exclude each other from a node MUST be bound whole if there are as many nodes.",
    clauses=["GANG-11", "WL-47"],
)
def test_gang_with_one_member_per_node_is_bound_whole(world: World) -> None:
    world.nodes(4, gpus=4)

    gang = world.submit(Gang("apart", size=4, gpus=1), alter=alone)

    assert gang.is_bound_whole()
    assert world.are_on("each member has a node of its own", gang, count=4)
