"""A service for each replica hangs on the same leader as the group does; neither is in the other's way."""

from harness.cases.language import LWS, World, case, owner


@case(
    "With the subdomain policy UniquePerReplica every replica MUST have its service beside its gang.",
    clauses=["LWS-39"],
)
def test_services_of_replicas_work_beside_gangs(world: World) -> None:
    world.nodes(1, gpus=4)

    lws = world.submit(LWS(replicas=2, size=2, subdomain="UniquePerReplica"))

    assert lws.is_bound_whole()
    names = ["serve-0", "serve-1"]
    for index, name in enumerate(names):
        domains = {pod["spec"].get("subdomain") for pod in lws.pods(index)}
        assert world.finds(f"the pods of replica {index} are found under {name}", domains, equals={name})
        service = world.objects.find(("v1", "Service"), name)
        assert world.finds(f"{name} is a headless service", service.get("spec", {}).get("clusterIP"), equals="None")
        assert world.finds(f"leader {name} owns it", owner(service).get("name"), equals=name)
