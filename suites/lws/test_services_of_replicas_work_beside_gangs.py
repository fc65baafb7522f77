"""A service for each replica hangs on the same leader as the group does; neither is in the other's way."""

from harness.cases.language import LWS, World, case, owner


@case(
    "With the subdomain policy UniquePerReplica every replica MUST have its service beside its gang.",
    clauses=["LWS-39"],
)
def test_services_of_replicas_work_beside_gangs(world: World) -> None:
    world.nodes(1, gpus=4)

    live = world.submit(LWS(replicas=2, size=2, subdomain="UniquePerReplica"))

    assert live.is_bound_whole()
    names = ["serve-0", "serve-1"]
    for index, name in enumerate(names):
        domains = {pod["spec"].get("subdomain") for pod in live.pods(index)}
        assert world.claim(f"the pods of replica {index} are found under {name}", domains == {name}, f"under {domains}")
        service = world.objects.find(("v1", "Service"), name)
        held = service.get("spec", {}).get("clusterIP") == "None"
        assert world.claim(f"{name} is a headless service", held, str(service.get("spec")))
        holder = owner(service).get("name")
        assert world.claim(f"leader {name} owns it", holder == name, f"its owner is {holder}")
