"""More names than the design's one are taken, and a user who takes one is told where."""

from harness.cases.language import INIT, VOLUME, BarrierJobSet, ReplicatedJob, World, case, template


@case(
    "Names that the injection needs SHOULD be refused in every template of the JobSet, with their field path.",
    clauses=["REF-07"],
    needs=["jobset-barrier"],
)
def test_reserved_names_are_refused_with_their_path(world: World) -> None:
    path = "spec.replicatedJobs[0].template.spec.template.spec"
    main = world.objects.of(BarrierJobSet(ReplicatedJob(), name="main"))[0]
    template(main, "workers")["containers"][0]["name"] = INIT
    assert world.objects.rejects(
        main, "a main container has the name", mention=f'{path}.containers[0].name: Invalid value: "{INIT}"'
    )

    init = world.objects.of(BarrierJobSet(ReplicatedJob(), name="init"))[0]
    template(init, "workers")["initContainers"] = [{"name": INIT, "image": "mine", "command": ["mine"]}]
    assert world.objects.rejects(init, "an init container has the name", mention=f'name: Invalid value: "{INIT}"')

    volume = world.objects.of(BarrierJobSet(ReplicatedJob(), name="volume"))[0]
    template(volume, "workers")["volumes"] = [{"name": VOLUME, "emptyDir": {}}]
    assert world.objects.rejects(
        volume, "a volume has the name", mention=f'{path}.volumes[0].name: Invalid value: "{VOLUME}"'
    )

    jobs = ReplicatedJob(), ReplicatedJob("other")
    aside = world.objects.of(BarrierJobSet(*jobs, name="aside", targets=["workers"]))[0]
    template(aside, "other")["containers"][0]["name"] = INIT
    assert world.objects.rejects(
        aside, "a container beside the targets has the name", mention=f'Invalid value: "{INIT}"'
    )
