"""Replicas are told apart by a key of the pod's own choosing, as long as it is a label."""

from harness import World, case


@case(
    "The replica key in a pod's reference MUST be a DNS label where it is given.",
    clauses=["WL-16"],
    needs=["replica-key"],
    kubernetes="<1.36",
)
def test_replica_key_of_a_pod_is_checked(world: World) -> None:
    native = world.native

    good = native.pod("good", native.reference("app", "members", "app", "key-2"))
    assert world.objects.accepts(good, "a DNS label is accepted")
    for bad in ("a.b", "Upper", "x" * 64):
        pod = native.pod("bad", native.reference("app", "members", "app", bad))
        assert world.objects.rejects(pod, f"{bad!r} is no replica key", mention="podGroupReplicaKey")
