"""What every integration declares, and what the four with programs of their own make of a vendor's files."""

from __future__ import annotations

import base64
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from harness.adapters import adapter, hosting, koordinator, names, volcano, yunikorn
from harness.adapters.base import Settings, Site, check_options
from harness.adapters.coscheduling import configuration
from harness.adapters.render import gang_objects, parse, render
from harness.box.artifacts import Artifact, load
from harness.box.data import data_root
from harness.box.pki import Authority
from harness.core.errors import UsageError
from harness.core.features import FEATURES
from harness.core.gang import Gang
from harness.core.versions import check_range

OWN_PROGRAMS = ("volcano", "coscheduling", "yunikorn", "koordinator")
OWN_CONTROLLERS = ("jobset-barrier", "jobset-gang", "lws")  # folders of reference controllers of muster's own
WEBHOOK = """
{{- if .Values.custom.enabled_admissions | regexMatch "/%(kind)s/%(verb)s" }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: %(object)s
metadata:
  name: volcano-admission-service-%(kind)s-%(verb)s
  {{- if .Values.custom.common_labels }}
  labels:
    {{- toYaml .Values.custom.common_labels | nindent 4 }}
  {{- end }}
webhooks:
  - name: %(verb)s.volcano.sh
    clientConfig:
      service:
        name: {{ .Release.Name }}-admission-service
        namespace: {{ .Release.Namespace }}
        path: /%(kind)s/%(verb)s
        port: 443
{{- end }}
"""
VALUES = """
custom:
  enabled_admissions: "/jobs/mutate,/queues/validate"
  scheduler_schedule_period: 1s
"""
KOORDINATOR = """
apiVersion: v1
kind: ConfigMap
data:
  koord-scheduler-config: |
    kind: KubeSchedulerConfiguration
    leaderElection: {leaderElect: true, resourceName: koord-scheduler}
    profiles: [{schedulerName: koord-scheduler}]
"""
SAMPLE = {
    "kind": "KubeSchedulerConfiguration",
    "leaderElection": {"leaderElect": False},
    "clientConnection": {"kubeconfig": "REPLACE"},
    "profiles": [
        {"schedulerName": "x", "pluginConfig": [{"name": "Coscheduling", "args": {"permitWaitingTimeSeconds": 10}}]}
    ],
}


def artifact(name: str, folder: Path) -> Artifact:
    """An artifact with the files of a vendor, much shortened."""
    processes = load().component(adapter(name).component).processes
    hooks = [("jobs", "mutate", "Mutating"), ("jobs", "validate", "Validating"), ("queues", "validate", "Validating")]
    texts = {
        "values.yaml": VALUES,
        "volcano-scheduler.conf": 'actions: "enqueue, allocate, backfill"\n',
        "webhooks.yaml": "\n".join(
            WEBHOOK % {"kind": kind, "verb": verb, "object": f"{what}WebhookConfiguration"}
            for kind, verb, what in hooks
        ),
    }
    if name == "koordinator":
        texts = {"scheduler-config.yaml": KOORDINATOR}
    if name == "coscheduling":
        texts = {"scheduler-config.yaml": json.dumps(SAMPLE)}
    for file, text in texts.items():
        (folder / file).write_text(text)
    paths = tuple(folder / file for file in texts)
    binaries = {process: folder / process for process in processes}
    return Artifact(name, "1.0.0", binaries, {}, {}, {}, files={"chart": paths, "config": paths, "crds": ()})


@pytest.mark.parametrize("name", names())
def test_declarations_use_the_common_words(name: str) -> None:
    chosen = adapter(name)
    assert chosen.name == name and chosen.title and chosen.organization
    assert chosen.features("1.0.0", "1.37.1") <= FEATURES.keys()
    for limit in chosen.limits:
        assert limit.feature in FEATURES and limit.text.endswith((".", ")"))
        assert limit.versions
        check_range(limit.versions, name)
    assert ("queue" in chosen.features("1.0.0", "1.37.1")) == (chosen.queue is not None)
    assert ("quorum-edit" in chosen.features("1.0.0", "1.37.1")) <= (chosen.edit_quorum is not None)


@pytest.mark.parametrize("name", names())
def test_every_integration_has_the_same_templates(name: str) -> None:
    folder = data_root() / "manifests" / name
    wanted = {"gang.yaml.j2", "pod.yaml.j2"}
    if name in OWN_PROGRAMS:
        wanted |= {"rbac.yaml.j2", "deployment.yaml.j2"}
    if name in OWN_CONTROLLERS:
        wanted |= {"rbac.yaml.j2", "webhooks.yaml.j2"}
    if adapter(name).queue is not None:
        wanted |= {"queue.yaml.j2"}
    found = {path.name for path in folder.glob("*.j2")}
    assert wanted <= found <= wanted | {"service.yaml.j2"}


@pytest.mark.parametrize("name", OWN_PROGRAMS)
def test_departures_limits_and_source_are_told(name: str) -> None:
    chosen = adapter(name)
    departures = import_module(f"harness.adapters.{name}").DEPARTURES
    assert departures and all(one.what and one.why for one in departures)
    assert all(limit.link.startswith("https://") for limit in chosen.limits)
    assert chosen.component in load().components and chosen.url.startswith("https://")


@pytest.mark.parametrize("name", OWN_PROGRAMS)
def test_in_cluster_objects_are_complete(name: str, tmp_path: Path) -> None:
    found = artifact(name, tmp_path)
    (part,) = adapter(name).cluster
    assert part.component == adapter(name).component
    images = {process: f"registry.example/{process}:v1" for process in found.binaries}
    objects = part.objects(Site(found, images, Authority()))
    by_kind: dict[str, list[Any]] = {}
    for obj in objects:
        by_kind.setdefault(obj["kind"], []).append(obj)
    assert objects[0]["kind"] == "Namespace"
    accounts = {obj["metadata"]["name"] for obj in by_kind["ServiceAccount"]}
    assert len(by_kind["Deployment"]) == len(found.binaries) == len(accounts)
    for deployment in by_kind["Deployment"]:
        pod = deployment["spec"]["template"]["spec"]
        assert pod["serviceAccountName"] in accounts
        assert deployment["spec"]["selector"]["matchLabels"].items() <= (
            deployment["spec"]["template"]["metadata"]["labels"].items()
        )
        for volume in pod.get("volumes", ()):
            kind, source = ("Secret", "secretName") if "secret" in volume else ("ConfigMap", "name")
            wanted = volume["secret" if kind == "Secret" else "configMap"][source]
            assert wanted in {obj["metadata"]["name"] for obj in by_kind[kind]}
    for binding in by_kind["ClusterRoleBinding"]:
        own = {obj["metadata"]["name"] for obj in by_kind["ClusterRole"]}
        assert binding["roleRef"]["name"] in own or binding["roleRef"]["name"].startswith("system:")
        assert binding["subjects"][0]["name"] in accounts


def test_webhooks_are_those_of_the_charts_values_and_by_url(tmp_path: Path) -> None:
    found = artifact("volcano", tmp_path)
    objects = volcano.webhooks(found, url="https://127.0.0.1:7", authority=b"PEM")
    assert [obj["metadata"] for obj in objects] == [
        {"name": "volcano-admission-service-jobs-mutate"},
        {"name": "volcano-admission-service-queues-validate"},
    ]
    client = objects[0]["webhooks"][0]["clientConfig"]
    assert client == {"url": "https://127.0.0.1:7/jobs/mutate", "caBundle": base64.b64encode(b"PEM").decode()}
    by_service = volcano.webhooks(found, authority=b"PEM")[1]["webhooks"][0]["clientConfig"]["service"]
    assert (by_service["name"], by_service["namespace"]) == ("volcano-admission-service", "volcano-system")


def test_volcano_groups_of_single_pods_stand_for_no_gang() -> None:
    owned = {"name": "podgroup-1234", "ownerReferences": [{"kind": "Pod"}]}
    assert volcano.read_group({"metadata": owned, "spec": {"minMember": 1}}) == ("", None)
    of_job = {"name": "train-1234", "labels": {"muster.dev/gang": "train"}, "ownerReferences": [{"kind": "Job"}]}
    assert volcano.read_group({"metadata": of_job, "spec": {"minMember": 3}}) == ("train", 3)


def test_coscheduling_takes_the_vendors_sample() -> None:
    config = configuration(SAMPLE, {"permit-waiting-seconds": "3"})
    (profile,) = config["profiles"]
    assert profile["schedulerName"] == adapter("coscheduling").scheduler
    assert profile["pluginConfig"] == [{"name": "Coscheduling", "args": {"permitWaitingTimeSeconds": 3}}]
    assert SAMPLE["profiles"][0]["schedulerName"] == "x"  # type: ignore[index]


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
    limits = {"nvidia.com/gpu": "4"}
    text = render(f"{name}/queue.yaml.j2", name="team", namespace="n", limits=limits, queues={"team": limits})
    (obj,) = parse(text)
    assert "team" in text and json.dumps("4") in json.dumps(obj)


def test_the_release_of_jobset_that_goes_with_kubernetes_is_the_default():
    from harness.adapters import jobset

    jobset.check_pair(jobset.fitting("1.35.4") or "", "1.35.4")
    assert jobset.fitting("1.37.1") is None
    with pytest.raises(UsageError, match=r"does not go with Kubernetes 1\.35\.4"):
        jobset.check_pair("0.12.0", "1.35.4")
