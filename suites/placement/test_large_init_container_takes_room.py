"""An init container runs before the others and may need more than all of them: the node must have that much."""

from harness.cases.language import Gang, Object, World, case


def prepares(pod: Object) -> None:
    main = pod["spec"]["containers"][0]
    amounts = {"cpu": "3", "memory": "64Mi"}
    init = {"name": "prepare", "image": main["image"], "resources": {"requests": amounts, "limits": amounts}}
    pod["spec"]["initContainers"] = [init]


@case(
    "An init container that needs more than the containers of its pod MUST count for a gang as it does for any pod.",
    clauses=["GANG-02", "GANG-04", "GANG-42"],
    level="extended",
)
def test_large_init_container_takes_room(world: World) -> None:
    world.nodes(2, gpus=8, cpu="4")
    gang = world.submit(Gang("prepared", size=3, gpus=1), alter=prepares)
    assert gang.is_refused()
    assert gang.stays_pending()

    world.nodes(1, gpus=8, cpu="4")

    assert gang.is_bound_whole()
