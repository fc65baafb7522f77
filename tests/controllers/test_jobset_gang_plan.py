"""What a gangConfig means, and how each release of the API writes it down: pure functions, no cluster."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from harness.box.minor import minor_of
from harness.controllers.jobset_gang.admission import INDEX_LABEL, JOB_LABEL, Admission
from harness.controllers.jobset_gang.api import Dialect
from harness.controllers.jobset_gang.controller import corrections, wakes
from harness.controllers.jobset_gang.plan import Instance, never_complete, plan
from harness.controllers.runtime.admission import Answer, Review


def a_job(name: str, replicas: int = 1, pods: int = 2, mode: str = "", **more: Any) -> dict[str, Any]:
    spec = {"parallelism": pods, "completions": more.pop("completions", pods), "template": {"spec": {}}}
    config = {"gangConfig": {"gangMode": mode}} if mode else {}
    return {"name": name, "replicas": replicas, "template": {"spec": spec}, **config, **more}


def a_set(*jobs: dict[str, Any], mode: str = "", name: str = "set", **spec: Any) -> dict[str, Any]:
    config = {"gangConfig": {"gangMode": mode}} if mode else {}
    meta = {"name": name, "namespace": "ns", "uid": "u-1"}
    return {"metadata": meta, "spec": {**config, "replicatedJobs": list(jobs), **spec}}


def test_nothing_asked_is_no_plan() -> None:
    assert plan(a_set(a_job("a"))) is None
    assert plan(a_set(a_job("a", mode="Off"), mode="Off")) is None
    assert plan(a_set(mode="Gang")) is None


def test_jobset_level_is_the_sum_over_unequal_jobs() -> None:
    gangs = plan(a_set(a_job("a", 1, 1), a_job("b", 2, 3), mode="Gang"))

    assert gangs is not None
    assert [(group.name, group.minimum) for group in gangs.groups] == [("pg-set", 7)]
    assert gangs.instance("b", 1) == gangs.instance("a", 0) == Instance("pg-set", "pg-set")


def test_levels_of_jobs() -> None:
    gangs = plan(a_set(a_job("a", 2, 2, "Gang"), a_job("b", 3, 4, "ReplicatedGang"), a_job("c")))

    assert gangs is not None
    assert [(group.name, group.minimum, len(group.instances)) for group in gangs.groups] == [
        ("pg-a", 4, 1),
        ("pg-b", 4, 3),
    ]
    assert gangs.instance("a", 1) == Instance("pg-a", "pg-set.a")
    assert gangs.instance("b", 2) == Instance("pg-b", "pg-set.b.2", "2")
    assert gangs.instance("c", 0) is None


def test_pods_that_never_exist_are_not_waited_for() -> None:
    gangs = plan(a_set(a_job("a", 1, 4, "Gang", completions=3), a_job("none", 0, 2, "Gang")))

    assert gangs is not None
    assert [(group.name, group.minimum) for group in gangs.groups] == [("pg-a", 3)]


def test_names_of_two_jobsets_never_meet() -> None:
    names = set()
    for name, jobs in (("a", ("b", "b-0")), ("a-b", ("0", "b")), ("a-b-0", ("b",))):
        for mode in ("Gang", "ReplicatedGang"):
            gangs = plan(a_set(*(a_job(job, mode=mode) for job in jobs), name=name))
            assert gangs is not None
            new = {instance.name for group in gangs.groups for instance in group.instances}
            assert not names & new
            names |= new


def test_priority_is_that_of_all_pods_or_none() -> None:
    high, low = a_job("a"), a_job("b")
    high["template"]["spec"]["template"]["spec"]["priorityClassName"] = "high"
    high_only, both = plan(a_set(high, mode="Gang")), plan(a_set(high, low, mode="Gang"))

    assert high_only is not None and both is not None
    assert (high_only.groups[0].priority, both.groups[0].priority) == ("high", "")


def test_gangs_that_can_never_be_complete() -> None:
    after = a_job("b", dependsOn=[{"name": "a", "status": "Ready"}])
    order = {"startupPolicy": {"startupPolicyOrder": "InOrder"}}

    assert "b is created after a" in never_complete(a_set(a_job("a"), after, mode="Gang"))
    assert "in order" in never_complete(a_set(a_job("a"), a_job("b"), mode="Gang", **order))
    assert never_complete(a_set(a_job("a"), mode="Gang", **order)) == ""
    assert never_complete(a_set(a_job("a", mode="Gang"), {**after, "gangConfig": {"gangMode": "Gang"}})) == ""


@pytest.mark.parametrize(
    ("kubernetes", "version", "entries", "policy", "reference"),
    [
        ("1.35", "v1alpha1", "podGroups", "policy", {"name": "w-set", "podGroup": "pg-a", "podGroupReplicaKey": "1"}),
        ("1.36", "v1alpha2", "podGroupTemplates", "schedulingPolicy", {"podGroupName": "pg-set.a.1"}),
        ("1.37", "v1beta1", "podGroupTemplates", "schedulingPolicy", {"podGroupName": "pg-set.a.1"}),
    ],
)
def test_each_version_of_the_api_has_its_fields(
    kubernetes: str, version: str, entries: str, policy: str, reference: dict[str, str]
) -> None:
    jobset = a_set(a_job("a", 2, 3, "ReplicatedGang"))
    gangs, dialect = plan(jobset), Dialect(minor_of(kubernetes).gang_api)
    assert gangs is not None
    workload = dialect.make_workload(jobset, gangs)

    assert workload["apiVersion"] == f"scheduling.k8s.io/{version}"
    assert workload["spec"]["controllerRef"] == {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": "set"}
    assert workload["spec"][entries] == [{"name": "pg-a", policy: {"gang": {"minCount": 3}}}]
    assert workload["metadata"]["ownerReferences"][0]["uid"] == "u-1"
    instance = gangs.instance("a", 1)
    assert instance is not None
    assert dialect.reference("w-set", instance) == reference


def test_gang_objects_take_over_all_that_the_workload_says() -> None:
    jobset, workload = a_set(a_job("a", mode="Gang")), {"metadata": {"name": "w-mine"}}
    entry = {"name": "pg-a", "schedulingPolicy": {"gang": {"minCount": 2}}, "disruptionMode": {"all": {}}}
    instance = Instance("pg-a", "pg-set.a")

    old = Dialect(minor_of("1.36").gang_api).make_pod_group(jobset, workload, entry, instance)["spec"]
    new = Dialect(minor_of("1.37").gang_api).make_pod_group(jobset, workload, entry, instance)["spec"]
    policy = {"schedulingPolicy": {"gang": {"minCount": 2}}, "disruptionMode": {"all": {}}}
    target = {"workloadName": "w-mine", "podGroupTemplateName": "pg-a"}
    assert old == {"podGroupTemplateRef": {"workload": target}, **policy}
    assert new == {"workloadRef": {"workloadName": "w-mine", "templateName": "pg-a"}, **policy}


def asked(new: dict[str, Any], old: dict[str, Any] | None = None, kubernetes: str = "1.37") -> Answer:
    review = Review("UPDATE" if old else "CREATE", "JobSet", "jobset.x-k8s.io", "ns", "set", new, old)
    dialect = Dialect(minor_of(kubernetes).gang_api) if kubernetes else None
    return Admission(None, None, dialect, plan).validate_jobset(review)  # type: ignore[arg-type]


def test_a_workload_has_room_for_eight_groups() -> None:
    def messages(count: int) -> list[str]:
        return [str(error) for error in asked(a_set(*(a_job(f"j{n}", mode="Gang") for n in range(count)))).errors]

    assert messages(8) == []
    assert messages(9)[0].startswith("spec.replicatedJobs: Invalid value: 9: at most 8 jobs may be gangs")


def test_gangs_that_can_never_be_complete_are_let_in_with_a_warning() -> None:
    answer = asked(a_set(a_job("a"), a_job("b", dependsOn=[{"name": "a"}]), mode="Gang"))

    assert answer.errors == []
    assert answer.warnings[0].startswith("spec.gangConfig.gangMode: the gang can never be complete")


def test_what_was_stored_while_gangs_were_off_can_still_be_changed_and_deleted() -> None:
    odd = a_set(a_job("a", mode="Odd"), mode="Gang")

    assert asked(odd, kubernetes="").errors == []
    assert asked(odd).errors != []
    assert asked({**odd, "metadata": {**odd["metadata"], "finalizers": []}}, odd).errors == []
    assert [error.path for error in asked(a_set(a_job("a"), mode="Gang"), odd).errors] == [
        "spec.replicatedJobs[0].gangConfig.gangMode"
    ]


def test_only_differences_are_corrected() -> None:
    desired = {"a": [{"name": "x", "policy": {"gang": {"minCount": 2}}}], "b": 1}

    assert corrections({"a": [{"name": "x", "policy": {"gang": {"minCount": 2}}, "added": 1}], "b": 1}, desired) == {}
    assert corrections({"a": [{"name": "x", "policy": {"gang": {"minCount": 9}}}], "b": 1}, desired) == {
        "a": desired["a"]
    }


def test_objects_wake_the_jobset_that_they_are_named_after_or_owned_by() -> None:
    def named(name: str, **meta: Any) -> list[tuple[str, str]]:
        return list(wakes({"metadata": {"name": name, "namespace": "ns", **meta}, "spec": {}}))

    owner = [{"kind": "JobSet", "name": "other", "uid": "u", "controller": True}]
    assert named("w-a-b") == [("ns", "a-b")]
    assert named("pg-a-b.worker.0") == [("ns", "a-b")]
    assert named("anything", ownerReferences=owner) == [("ns", "other")]
    assert named("anything") == []


def referred(labels: dict[str, str]) -> Answer:
    """What the webhook says of a Job with these labels, of a JobSet whose replicas are gangs."""
    jobset = a_set(a_job("a", 2, mode="ReplicatedGang"))
    owner = {"kind": "JobSet", "name": "set", "uid": "u-1", "controller": True}
    meta = {"name": "set-a-0", "labels": labels, "ownerReferences": [owner]}
    job = {"metadata": meta, "spec": {"template": {"spec": {}}}}
    cache = SimpleNamespace(get=lambda kind, *key: jobset if kind.kind == "JobSet" else None, of=lambda kind, key: [])
    hooks = Admission(cache, cache, Dialect(minor_of("1.37").gang_api), plan)  # type: ignore[arg-type]
    return hooks.refer_job(Review("CREATE", "Job", "batch", "ns", "set-a-0", job, None))


def test_jobs_are_referred_by_their_labels_and_refused_without_an_index() -> None:
    good = {JOB_LABEL: "a", INDEX_LABEL: "1"}

    assert [operation["value"] for operation in referred(good).patch] == [{"podGroupName": "pg-set.a.1"}]
    assert referred({**good, JOB_LABEL: "another"}) == Answer()
    for index, quoted in (("", '""'), ("first", '"first"'), ("2", '"2"')):
        (error,) = referred({**good, INDEX_LABEL: index}).errors
        assert str(error) == f"metadata.labels[{INDEX_LABEL}]: Invalid value: {quoted}: must be the index of a replica"
