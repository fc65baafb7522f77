"""Init containers run one after another, so that a pod never needs what two of them request together."""

from harness.cases.language import Gang, Object, World, case


def prepares_twice(pod: Object) -> None:
    main = pod["spec"]["containers"][0]
    amounts = {"cpu": "3", "memory": "64Mi"}
    init = {"image": main["image"], "resources": {"requests": amounts, "limits": amounts}}
    pod["spec"]["initContainers"] = [{"name": "fetch", **init}, {"name": "unpack", **init}]


@case(
    "A gang MUST be bound whole where its init containers fit one after another.",
    clauses=["GANG-01"],
    level="extended",
)
def test_only_the_largest_init_container_takes_room(world: World) -> None:
    world.nodes(2, gpus=8, cpu="4")

    gang = world.submit(Gang("prepared", size=2, gpus=1), alter=prepares_twice)

    assert gang.is_bound_whole()
