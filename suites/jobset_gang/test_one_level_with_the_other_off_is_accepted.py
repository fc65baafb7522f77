"""Off is a word for nothing: to write it down at the other level does not count as asking there."""

from harness.cases.language import GANG, OFF, REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "A JobSet that asks at one level while the other is Off MUST be accepted, and get what it asks for.",
    clauses=["JSG-23"],
)
def test_one_level_with_the_other_off_is_accepted(world: World) -> None:
    world.nodes(1, gpus=8)
    above = world.submit(
        JobSet(
            ReplicatedJob("driver", pods=1, mode=OFF),
            ReplicatedJob("worker", pods=2, mode=OFF),
            name="above",
            mode=GANG,
        )
    )
    below = world.submit(
        JobSet(
            ReplicatedJob("driver", pods=1, mode=GANG),
            ReplicatedJob("worker", pods=2, mode=REPLICATED),
            name="below",
            mode=OFF,
        )
    )
    for jobset, groups in ((above, ["pg-above"]), (below, ["pg-driver", "pg-worker"])):
        assert jobset.is_prepared()
        names = list(jobset.groups())
        assert world.finds(f"JobSet {jobset.name} has the groups it asks for", names, equals=groups)
        assert jobset.is_bound_whole()
