"""The signal's carrier is there before any pod can be, and says nothing."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "A JobSet that asks MUST get one ConfigMap of its own, empty, controlled by it, in its namespace.",
    clauses=["BAR-08", "BAR-09"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_config_map_begins_empty(world: World) -> None:
    jobset = BarrierSet(world, "asks", ReplicatedJob("a"), ReplicatedJob("b", replicas=2)).submit()
    assert jobset.has_its_config_map()
    assert world.sees("its Jobs are made", lambda: len(jobset.jobs()) == 3)
    found = jobset.config_map()
    content = {key: found.get(key) for key in ("data", "binaryData") if found.get(key)}
    assert world.claim("the ConfigMap is empty", not content, str(content))
    owners = [
        (one["kind"], one["uid"]) for one in found["metadata"].get("ownerReferences", ()) if one.get("controller")
    ]
    wanted = [("JobSet", jobset.stored()["metadata"]["uid"])]
    assert world.claim("the JobSet controls it", owners == wanted, str(owners))
    names = jobset.config_maps()
    assert world.claim("there is one for all its Jobs", names == [jobset.signal_map], str(names))
