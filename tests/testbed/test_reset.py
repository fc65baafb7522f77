"""Between two cases a box is emptied, and what is left of a fault is mended."""

import pytest

from harness.cases.world import World
from harness.core.errors import ProcessError
from harness.core.gang import Gang
from harness.core.kinds import NODE, POD
from harness.testbed.testbed import Testbed


def leftovers(testbed: Testbed) -> list[str]:
    api = testbed.box.api
    names = [obj["metadata"]["name"] for obj in api.list(NODE)]
    for resource in (POD, *testbed.group_resources()):
        names += [obj["metadata"]["name"] for obj in api.list(resource)]
    return names


def test_nothing_of_a_case_is_left(testbed: Testbed):
    world = World(testbed, "first")
    world.nodes(3, gpus=4)
    world.gangs.one_of(*world.gangs.submit_in_turns(Gang("a", size=4, gpus=2), Gang("b", size=4, gpus=2)))

    testbed.reset()

    assert leftovers(testbed) == []


def test_a_killed_and_a_paused_process_are_back(testbed: Testbed):
    world = World(testbed, "faults")
    world.nodes(1, gpus=1)
    world.faults.kill("scheduler")
    world.faults.pause("controller")

    testbed.reset()

    again = World(testbed, "after")
    again.nodes(1, gpus=1)
    assert again.submit(Gang("one", size=1)).is_bound_whole()
    testbed.reset()


def test_what_a_case_changed_is_undone_even_if_it_left_the_api_server_dead(testbed: Testbed):
    world = World(testbed, "changes")
    scheduler = testbed.box.processes["kube-scheduler"]
    before = scheduler.command
    priority = "of-a-case"
    world.objects.create(
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": priority},
            "value": 1,
        }
    )
    world.faults._restart_with("kube-scheduler", [*before.argv, "--v=1"])
    second = world.faults.start_second_scheduler()
    world.faults.kill("apiserver")

    testbed.reset()

    api = testbed.box.api
    assert scheduler.command == before
    assert second not in testbed.box.processes
    assert api.find(api.resource("scheduling.k8s.io/v1", "PriorityClass"), "", priority) is None


def test_a_command_line_that_does_not_start_is_put_back(testbed: Testbed):
    world = World(testbed, "broken")
    argv = testbed.box.processes["kube-scheduler"].command.argv
    with pytest.raises(ProcessError):
        world.faults._restart_with("kube-scheduler", [*argv, "--no-such-flag"])

    testbed.reset()

    again = World(testbed, "after")
    again.nodes(1, gpus=1)
    assert again.submit(Gang("one", size=1)).is_bound_whole()
    testbed.reset()


def test_names_of_namespaces_are_never_used_twice(testbed: Testbed):
    names = [World(testbed, "one").namespace for _ in range(5)]

    assert len(set(names)) == 5
    testbed.reset()


def test_priorities_are_in_force_at_once_and_shared_by_all_cases(testbed: Testbed):
    names = []
    for _ in range(2):
        world = World(testbed, "priorities")
        world.nodes(1, gpus=1)
        names.append((world.priority("high", 1234), world.priority("polite", 1234, preempts=False)))
        assert world.submit(Gang("one", size=1, priority=names[-1][0])).is_bound_whole()
        testbed.reset()

    assert names[0] == names[1]
    assert len(set(names[0])) == 2


def test_a_case_that_must_begin_afresh_has_new_programs(testbed: Testbed):
    programs = {*testbed.installed.schedulers, *testbed.installed.controllers}
    before = {name: process.pid for name, process in testbed.box.processes.items()}

    testbed.renew()

    renewed = {name for name, process in testbed.box.processes.items() if process.pid != before[name]}
    assert programs and renewed == programs
    assert leftovers(testbed) == []
