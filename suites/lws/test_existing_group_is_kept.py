"""A group may be there before its leader, made by hand or left by an earlier set. It is used as it is."""

from harness.cases.language import LWS, World, case, owner


@case(
    "A group that is there already MUST be neither changed nor doubled.",
    clauses=["LWS-27"],
    needs=["lws-group-object"],
)
def test_existing_group_is_kept(world: World) -> None:
    world.nodes(1, gpus=2)
    lws = world.submit(LWS(size=2))
    assert lws.has_groups()
    group = lws.group()
    name = group["metadata"]["name"]
    lws.delete()
    assert lws.gangs[0].is_gone()
    meta = {"name": name, "namespace": world.namespace}
    spec = {"minMember": 2}
    by_hand = world.objects.create(
        {"apiVersion": group["apiVersion"], "kind": group["kind"], "metadata": meta, "spec": spec}
    )

    again = world.submit(LWS(size=2))

    assert again.is_bound_whole()
    named = again.place(again.leader())
    assert world.claim("the set comes back to the same name", True if named == name else None, f"{named}, not {name}")
    groups = again.groups()
    stored = [(group["metadata"]["uid"], group["spec"]) for group in groups]
    expected = [(by_hand["metadata"]["uid"], by_hand["spec"])]
    assert world.finds("the group made by hand is the only one, and as it was", stored, equals=expected)
    assert world.finds("nobody took possession of it", owner(groups[0]), equals={})
