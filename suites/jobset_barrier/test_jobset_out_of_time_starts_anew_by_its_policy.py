"""A pod out of time is an ordinary failure: a JobSet that may restart does, and waits for its pods again."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case

TIMEOUT = 8  # seconds the JobSet allows


@case(
    "A JobSet out of time that may restart MUST restart, and its new pods wait as the first ones did.",
    clauses=["BAR-20", "BAR-26"],
)
def test_jobset_out_of_time_starts_anew_by_its_policy(world: World) -> None:
    world.nodes(1, gpus=1)
    jobs = ReplicatedJob(), ReplicatedJob("missing", gpus=2)
    jobset = world.submit(BarrierJobSet(*jobs, name="again", timeout=TIMEOUT, restarts=9))
    assert jobset.has_waiting(1)
    first = jobset.waiting()
    assert world.sees("the JobSet restarts", lambda: jobset.restarts, "projected", least=1)
    assert world.sees("a new pod waits", jobset.waiting, "projected", least=1, differs=first)
    assert jobset.is_held()
    assert world.finds("the JobSet has not failed", jobset.condition("Failed"), equals="")
