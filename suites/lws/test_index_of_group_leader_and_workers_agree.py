"""A replica has one index, in the name of its group, on the group and on every pod of it."""

from harness.cases.language import INDEX_LABEL, LWS, World, case


@case(
    "Leader, workers and group of a replica MUST carry the index that the name of the group has.",
    clauses=["LWS-11", "LWS-13"],
    needs=["lws-group-object"],
)
def test_index_of_group_leader_and_workers_agree(world: World) -> None:
    world.nodes(3, gpus=2)

    live = world.submit(LWS(replicas=3, size=2))
    assert live.is_bound_whole()
    assert live.has_groups()

    for index in range(3):
        meta = live.group(index)["metadata"]
        name, label = meta["name"], (meta.get("labels") or {}).get(INDEX_LABEL)
        named = name.removeprefix("serve-").partition("-")[0]
        worn = {pod["metadata"]["labels"].get(INDEX_LABEL) for pod in live.pods(index)}
        members = len(live.pods(index))
        assert world.claim(f"the pods of group {name} carry its index", worn == {named}, f"they carry {worn}")
        assert world.claim(f"group {name} carries its index, too", label == named, f"it carries {label}")
        assert world.claim(f"the index {index} is on leader and worker", members == 2, f"on {members} pods")
