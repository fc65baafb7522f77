"""What every integration declares, and what those with programs of their own make of a vendor's files."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from harness.adapters import adapter, koordinator, names, volcano, yunikorn
from harness.adapters.common import hosting, jobset
from harness.adapters.common.base import Claim, InstallContext, Settings, check_options, features_of
from harness.adapters.common.render import gang_objects, parse, render, single_pod
from harness.adapters.coscheduling import configuration
from harness.box.artifacts import Artifact, load
from harness.box.data import data_root
from harness.box.minor import default_minor, minors
from harness.box.pki import Authority
from harness.controllers.registry import CONTROLLERS
from harness.core.catalogue.features import CHOICES, FEATURES
from harness.core.catalogue.versions import check_range
from harness.core.errors import UsageError
from harness.core.gang import Gang

VENDOR = Path(__file__).parent / "vendor"  # NAME/: files of that vendor, much shortened, for `cluster` to read
OWN_PROGRAMS = [  # that are run by objects of ours, not by those of a release
    name
    for name in names()
    if [part.component for part in adapter(name).cluster] == [adapter(name).component]
    and (data_root() / "manifests" / adapter(name).folder / "deployment.yaml.j2").exists()
]
OWN_CONTROLLERS = [reference.folder for reference in CONTROLLERS.values()]


def artifact(name: str) -> Artifact:
    """An artifact with the files of a vendor."""
    processes = load().component(adapter(name).component).processes
    paths = tuple(sorted((VENDOR / name).glob("*")))
    binaries = {process: Path(process) for process in processes}
    return Artifact(
        name, "1.0.0", binaries, {}, {}, {}, files={"chart": paths, "config": paths, "rbac": paths, "crds": ()}
    )


def test_every_kind_of_integration_is_among_those_tested() -> None:
    assert {"volcano", "coscheduling", "yunikorn", "koordinator", "kai"} <= set(OWN_PROGRAMS)
    assert {path.name for path in VENDOR.iterdir()} <= set(OWN_PROGRAMS), "files of a vendor that is gone"


@pytest.mark.parametrize("name", names())
def test_declarations_use_the_common_words(name: str) -> None:
    integration = adapter(name)
    assert integration.name == name and integration.title and integration.organization
    claimed = [claim if isinstance(claim, Claim) else Claim(claim) for claim in integration.features]
    assert claimed and {claim.feature for claim in claimed} <= FEATURES.keys()
    for claim in claimed:
        check_range(claim.kubernetes, name)
        check_range(claim.versions, name)
    for limit in integration.limits:
        assert limit.feature in FEATURES and limit.text.endswith((".", ")"))
        assert limit.versions
        check_range(limit.versions, name)
    assert ("queue" in features_of(integration)) == (integration.queue is not None)
    assert ("quorum-edit" in features_of(integration)) <= (integration.edit_quorum is not None)


def test_features_are_claimed_for_ranges_of_versions() -> None:
    native = adapter("workload")
    assert "replica-key" in features_of(native, "1.35.4") and "group-object" not in features_of(native, "1.35.4")
    assert "group-object" in features_of(native, "1.36") and "quorum-edit" not in features_of(native, "1.36")
    assert features_of(native) == features_of(native, default_minor()) >= {"quorum-edit", "gang-disruption"}
    old = replace(
        native, component="volcano", features=(Claim("gang", versions="<1.0"), Claim("quorum", versions=">=1.14"))
    )
    assert features_of(old) == features_of(old, version="1.14.1") == {"quorum"}
    assert features_of(old, version="0.9.2") == {"gang"}


@pytest.mark.parametrize("name", names())
def test_every_integration_has_the_same_templates(name: str) -> None:
    folder = data_root() / "manifests" / adapter(name).folder
    templates = {"gang.yaml.j2"}
    if name in OWN_PROGRAMS:
        own_roles = "rbac" not in load().component(adapter(name).component).files  # else they are the vendor's
        templates |= {"deployment.yaml.j2"} | ({"rbac.yaml.j2"} if own_roles else set())
    if adapter(name).folder in OWN_CONTROLLERS:
        templates |= {"rbac.yaml.j2", "webhooks.yaml.j2"}
    if adapter(name).queue is not None:
        templates |= {"queue.yaml.j2"}
    names_there = {path.name for path in folder.glob("*.j2")}
    optional = {"pod.yaml.j2", "service.yaml.j2", "local-queue.yaml.j2", "webhooks.yaml.j2"}
    assert templates <= names_there <= templates | optional


@pytest.mark.parametrize("name", OWN_PROGRAMS)
def test_departures_limits_and_source_are_told(name: str) -> None:
    integration = adapter(name)
    departures = import_module(f"harness.adapters.{name}").DEPARTURES
    assert departures and all(departure.what and departure.why for departure in departures)
    assert all(limit.link.startswith("https://") for limit in integration.limits)
    assert integration.component in load().components and integration.url.startswith("https://")


@pytest.mark.parametrize("name", OWN_PROGRAMS)
def test_in_cluster_objects_are_complete(name: str) -> None:
    built = artifact(name)
    (part,) = adapter(name).cluster
    assert part.component == adapter(name).component
    images = {process: f"registry.example/{process}:v1" for process in built.binaries}
    objects = part.objects(InstallContext(built, images, Authority.create()))
    by_kind: dict[str, list[Any]] = {}
    for obj in objects:
        by_kind.setdefault(obj["kind"], []).append(obj)
    assert objects[0]["kind"] == "Namespace"
    accounts = {obj["metadata"]["name"] for obj in by_kind["ServiceAccount"]}
    assert len(by_kind["Deployment"]) == len(built.binaries) == len(accounts)
    for deployment in by_kind["Deployment"]:
        pod = deployment["spec"]["template"]["spec"]
        assert pod["serviceAccountName"] in accounts
        assert deployment["spec"]["selector"]["matchLabels"].items() <= (
            deployment["spec"]["template"]["metadata"]["labels"].items()
        )
        for volume in pod.get("volumes", ()):
            kind, source = ("Secret", "secretName") if "secret" in volume else ("ConfigMap", "name")
            source_name = volume["secret" if kind == "Secret" else "configMap"][source]
            assert source_name in {obj["metadata"]["name"] for obj in by_kind[kind]}
    for binding in by_kind["ClusterRoleBinding"]:
        roles = {obj["metadata"]["name"] for obj in by_kind["ClusterRole"]}
        assert binding["roleRef"]["name"] in roles or binding["roleRef"]["name"].startswith("system:")
        assert binding["subjects"][0]["name"] in accounts


def test_webhooks_are_those_of_the_charts_values_and_by_url() -> None:
    chart = artifact("volcano")
    objects = volcano.webhooks(chart, url="https://127.0.0.1:7", authority=b"PEM")
    assert [obj["metadata"] for obj in objects] == [
        {"name": "volcano-admission-service-jobs-mutate"},
        {"name": "volcano-admission-service-queues-validate"},
    ]
    client = objects[0]["webhooks"][0]["clientConfig"]
    assert client == {"url": "https://127.0.0.1:7/jobs/mutate", "caBundle": base64.b64encode(b"PEM").decode()}
    by_service = volcano.webhooks(chart, authority=b"PEM")[1]["webhooks"][0]["clientConfig"]["service"]
    assert (by_service["name"], by_service["namespace"]) == ("volcano-admission-service", "volcano-system")


def test_volcano_groups_of_single_pods_stand_for_no_gang() -> None:
    owned = {"name": "podgroup-1234", "ownerReferences": [{"kind": "Pod"}]}
    assert volcano.read_group({"metadata": owned, "spec": {"minMember": 1}}) == ("", None)
    of_job = {"name": "train-1234", "labels": {"muster.dev/gang": "train"}, "ownerReferences": [{"kind": "Job"}]}
    assert volcano.read_group({"metadata": of_job, "spec": {"minMember": 3}}) == ("train", 3)


def test_coscheduling_takes_the_vendors_sample() -> None:
    sample = hosting.read_yaml(artifact("coscheduling").files["config"], "scheduler-config.yaml")
    config = configuration(sample, {"permit-waiting-seconds": "3"})
    (profile,) = config["profiles"]
    assert profile["schedulerName"] == adapter("coscheduling").scheduler
    assert profile["pluginConfig"] == [{"name": "Coscheduling", "args": {"permitWaitingTimeSeconds": 3}}]
    assert sample["profiles"][0]["schedulerName"] == "x"


def test_scheduler_config_keeps_what_is_not_ours() -> None:
    config = hosting.scheduler_config({"profiles": [1], "leaderElection": {"resourceName": "a"}}, Path("/k"))
    assert config == {
        "profiles": [1],
        "leaderElection": {"resourceName": "a", "leaderElect": False},
        "clientConnection": {"kubeconfig": "/k"},
    }


def test_unknown_option_offers_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        check_options(adapter("volcano"), Settings(options={"schedule-perod": "1s"}))
    assert "Did you mean 'schedule-period'?" in caught.value.hint


def placeholder(application: str, group: str) -> dict[str, Any]:
    return {
        "metadata": {
            "name": f"tg-{application}-{group}-abc",
            "namespace": "n1",
            "labels": {"yunikorn.apache.org/app-id": application},
            "annotations": {
                "internal.yunikorn.apache.org/placeholder": "true",
                "yunikorn.apache.org/task-group-name": group,
            },
        }
    }


def test_yunikorn_placeholders_are_no_members() -> None:
    assert yunikorn.classify(placeholder("n1.train.4", "member")) == ("train", "placeholder", "")
    assert yunikorn.classify(placeholder("n1.train.4", "worker")) == ("train", "placeholder", "worker")
    assert yunikorn.classify({"metadata": {"name": "a", "labels": {"muster.dev/part": "fence"}}}) == ("", "fence", "")


def test_yunikorn_placeholders_of_a_gang_with_a_long_name_are_told_by_their_label() -> None:
    gang = Gang("a" * 60, size=2)
    objects = gang_objects(adapter("yunikorn"), gang, "case-12345678", "1.37.1")
    yunikorn.finish(objects)
    (identity,) = {obj["metadata"]["labels"]["applicationId"] for obj in objects}
    (group,) = json.loads(objects[0]["metadata"]["annotations"][yunikorn.TASK_GROUPS])
    held = placeholder(identity, "member")
    held["metadata"]["labels"].update(group["labels"])

    assert len(identity) <= 63
    assert yunikorn.classify(held) == (gang.name, "placeholder", "")


def test_yunikorn_placeholders_request_what_their_members_do() -> None:
    objects = gang_objects(adapter("yunikorn"), Gang("computing", size=2, gpus=1), "n1", "1.37.1")
    for obj in objects:
        obj["spec"]["containers"][0]["resources"]["requests"] |= {"cpu": "1500m", "example.com/fpga": "1"}
    yunikorn.finish(objects)
    for obj in objects:
        (group,) = json.loads(obj["metadata"]["annotations"][yunikorn.TASK_GROUPS])
        expected = {"cpu": "1500m", "memory": "67108864", "nvidia.com/gpu": "1", "example.com/fpga": "1"}
        assert group["minResource"] == expected


def test_yunikorn_placeholders_keep_apart_as_their_members_do() -> None:
    gang = Gang("apart", size=2, selector={"zone": "a"})
    objects = gang_objects(adapter("yunikorn"), gang, "n1", "1.37.1")
    before = [obj["metadata"]["annotations"][yunikorn.TASK_GROUPS] for obj in objects]
    yunikorn.finish(objects)
    assert [obj["metadata"]["annotations"][yunikorn.TASK_GROUPS] for obj in objects] == before
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"muster.dev/gang": "apart"}}}
    for obj in objects:
        obj["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    yunikorn.finish(objects)
    for obj in objects:
        (group,) = json.loads(obj["metadata"]["annotations"][yunikorn.TASK_GROUPS])
        assert group["labels"] == {"muster.dev/held-for": "apart"} and group["nodeSelector"] == {"zone": "a"}
        selector = group["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0]
        assert selector["labelSelector"]["matchLabels"] == {"muster.dev/held-for": "apart"}


def test_gangs_of_a_group_are_named_with_their_namespaces() -> None:
    assert koordinator.together(Gang("b", group=("a", "n2/c")), "n1") == '["n1/a", "n1/b", "n2/c"]'


@pytest.mark.parametrize("name", [name for name in OWN_PROGRAMS if adapter(name).queue is not None])
def test_queue_has_the_limits(name: str) -> None:
    limits = {"nvidia.com/gpu": "4321"}
    text = render(f"{name}/queue.yaml.j2", name="team", namespace="n", limits=limits, queues={"team": limits})
    (obj,) = parse(text)
    assert "team" in text and "4321" in json.dumps(obj)


def test_the_release_of_jobset_that_goes_with_kubernetes_is_the_default():
    for minor in minors():
        jobset.check_pair(jobset.fitting(minor), minor)
    assert jobset.fitting("1.37.1") == load().component("jobset").default
    with pytest.raises(UsageError, match=r"does not work with Kubernetes 1\.35\.4"):
        jobset.check_pair("0.12.0", "1.35.4")


@pytest.mark.parametrize("name", names())
def test_single_pods_are_of_no_gang(name: str) -> None:
    pod = single_pod(adapter(name), "n1", "fence", part="fence", request={"cpu": "1m"}, priority="high")

    assert adapter(name).classify(pod) == ("", "fence", "")
    assert (pod["spec"]["schedulerName"], pod["spec"]["priorityClassName"]) == (adapter(name).scheduler, "high")
    assert pod["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1m"}
    identity = pod["metadata"]["labels"].get("applicationId")
    assert identity == ("n1.fence" if "yunikorn" in name else None)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("minor", minors())
def test_an_open_question_is_answered_once_and_with_a_source(name: str, minor: str) -> None:
    for choice in CHOICES:
        assert len(features_of(adapter(name), minor) & {*choice.features}) <= 1, choice.question
        for claim in adapter(name).features:
            if isinstance(claim, str):
                assert claim not in choice.features, f"{claim} needs its source: Claim({claim!r}, source=...)"
            else:
                assert claim.feature not in choice.features or len(claim.source) > 30
