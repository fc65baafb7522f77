"""A replica has one index, in the name of its group, on the group and on every pod of it."""

from harness.cases.language import INDEX_LABEL, LWS, World, case


@case(
    "Leader, workers and group of a replica MUST carry the index that the name of the group has.",
    clauses=["LWS-11", "LWS-13"],
    needs=["lws-group-object"],
)
def test_index_of_group_leader_and_workers_agree(world: World) -> None:
    world.nodes(3, gpus=2)

    lws = world.submit(LWS(replicas=3, size=2))
    assert lws.is_bound_whole()
    assert lws.has_groups()

    for index in range(3):
        meta, pods = lws.group(index)["metadata"], lws.pods(index)
        name, label = meta["name"], (meta.get("labels") or {}).get(INDEX_LABEL)
        named = name.removeprefix("serve-").partition("-")[0]
        indices = {pod["metadata"]["labels"].get(INDEX_LABEL) for pod in pods}
        assert world.finds(f"the pods of group {name} carry its index", indices, equals={named})
        assert world.finds(f"group {name} carries its index, too", label, equals=named)
        assert world.finds(f"the index {index} is on leader and worker", pods, count=2)
