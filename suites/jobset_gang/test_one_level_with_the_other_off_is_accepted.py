"""Off is a word for nothing: to write it down at the other level does not count as asking there."""

from harness.case import case
from harness.jobsets import GANG, OFF, REPLICATED, job, submit
from harness.world import World


@case(
    "A JobSet that asks at one level while the other is Off MUST be accepted, and get what it asks for.",
    clauses=["JSG-23"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_one_level_with_the_other_off_is_accepted(world: World) -> None:
    world.nodes(1, gpus=8)
    above = submit(world, job("driver", pods=1, mode=OFF), job(pods=2, mode=OFF), name="above", mode=GANG)
    below = submit(world, job("driver", pods=1, mode=GANG), job(pods=2, mode=REPLICATED), name="below", mode=OFF)
    for live, groups in ((above, ["pg-above"]), (below, ["pg-driver", "pg-worker"])):
        assert live.is_prepared()
        found = list(live.groups())
        assert world.claim(f"JobSet {live.name} has the groups it asks for", found == groups, str(found))
        for gang in live.gangs.values():
            assert gang.is_bound_whole()
