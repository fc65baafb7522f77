"""Who counts pods by the name of a container cannot share that name."""

from harness.barriers import INIT, VOLUME, BarrierSet, ReplicatedJob, template
from harness.case import case
from harness.world import World


@case(
    "A container of the user under the reserved name MUST be refused, with its field path.",
    clauses=["BAR-04"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_name_of_the_waiting_container_is_reserved(world: World) -> None:
    path = "spec.replicatedJobs[0].template.spec.template.spec"
    main = BarrierSet(world, "main", ReplicatedJob()).object
    template(main, "workers")["containers"][0]["name"] = INIT
    assert world.rejects(
        main, "a main container has the name", mention=f'{path}.containers[0].name: Invalid value: "{INIT}"'
    )

    init = BarrierSet(world, "init", ReplicatedJob()).object
    template(init, "workers")["initContainers"] = [{"name": INIT, "image": "mine", "command": ["mine"]}]
    assert world.rejects(init, "an init container has the name", mention=f'name: Invalid value: "{INIT}"')

    volume = BarrierSet(world, "volume", ReplicatedJob()).object
    template(volume, "workers")["volumes"] = [{"name": VOLUME, "emptyDir": {}}]
    assert world.rejects(volume, "a volume has the name", mention=f'{path}.volumes[0].name: Invalid value: "{VOLUME}"')

    aside = BarrierSet(world, "aside", ReplicatedJob(), ReplicatedJob("other"), targets=["workers"]).object
    template(aside, "other")["containers"][0]["name"] = INIT
    assert world.rejects(aside, "a container beside the targets has the name", mention=f'Invalid value: "{INIT}"')

    unasked = BarrierSet(world, "unasked", ReplicatedJob(), asks=False, suspended=True).object
    template(unasked, "workers")["containers"][0]["name"] = INIT
    assert world.accepts(unasked, "a JobSet that asks for no barrier may use the name")
