"""A replica has one index, in the name of its group and on every pod of it."""

from harness.case import case
from harness.leaderworker import INDEX_LABEL, submit
from harness.world import World


@case(
    "Leader and workers of a replica MUST carry the index that the name of its group has.",
    clauses=["LWS-11", "LWS-13"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_index_of_group_leader_and_workers_agree(world: World) -> None:
    world.nodes(3, gpus=2)

    live = submit(world, replicas=3, size=2)
    assert live.is_placed_whole()
    assert live.has_groups()

    for index in range(3):
        name = live.group(index)["metadata"]["name"]
        named = name.removeprefix("serve-").partition("-")[0]
        worn = {pod["metadata"]["labels"].get(INDEX_LABEL) for pod in (live.leader(index), *live.workers(index))}
        members = len(live.pods(index))
        assert world.claim(f"the pods of group {name} carry its index", worn == {named}, f"they carry {worn}")
        assert world.claim(f"the index {index} is on leader and worker", members == 2, f"on {members} pods")
