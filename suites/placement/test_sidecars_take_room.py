"""A sidecar is declared among the init containers and runs as long as the pod: its request comes on top."""

from harness.cases.language import Gang, Object, World, case


def accompanied(pod: Object) -> None:
    main = pod["spec"]["containers"][0]
    amounts = {"cpu": "2", "memory": "64Mi"}
    sidecar = {"name": "proxy", "image": main["image"], "resources": {"requests": amounts, "limits": amounts}}
    pod["spec"]["initContainers"] = [{**sidecar, "restartPolicy": "Always"}]


@case(
    "Sidecars MUST count for a gang beside the containers of their pods.",
    clauses=["GANG-02", "GANG-04", "GANG-42"],
    level="extended",
)
def test_sidecars_take_room(world: World) -> None:
    world.nodes(2, gpus=8, cpu="4")
    gang = world.submit(Gang("served", size=3, gpus=1, cpu="1500m"), alter=accompanied)
    assert gang.is_refused()
    assert gang.stays_pending()

    world.nodes(1, gpus=8, cpu="4")

    assert gang.is_bound_whole()
