"""Between two cases a box is emptied, and what is left of a fault is mended."""

from harness.box.api import NODE, POD
from harness.core.gang import Gang
from harness.lab import Lab
from harness.world import World


def leftovers(lab: Lab) -> list[str]:
    api = lab.box.api
    found = [obj["metadata"]["name"] for obj in api.list(NODE)]
    for resource in (POD, *lab.group_resources()):
        found += [obj["metadata"]["name"] for obj in api.list(resource)]
    return found


def test_nothing_of_a_case_is_left(lab: Lab):
    world = World(lab, "first")
    world.nodes(3, gpus=4)
    for gang in world.submit_together(Gang("a", size=4, gpus=2), Gang("b", size=4, gpus=2)):
        gang.reaches_quorum()

    lab.reset()

    assert leftovers(lab) == []


def test_a_killed_and_a_paused_process_are_back(lab: Lab):
    world = World(lab, "faults")
    world.nodes(1, gpus=1)
    world.kill("scheduler")
    world.pause("controller")

    lab.reset()

    again = World(lab, "after")
    again.nodes(1, gpus=1)
    assert again.submit(Gang("one", size=1)).is_bound_whole()
    lab.reset()


def test_names_of_namespaces_are_never_used_twice(lab: Lab):
    names = [World(lab, "one").namespace for _ in range(5)]

    assert len(set(names)) == 5
    lab.reset()
