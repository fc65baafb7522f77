"""LeaderWorkerSets by golden files: what a user would apply with kubectl, and what a set cannot say.

After a change that is meant: MUSTER_UPDATE_GOLDEN=1 pytest tests/controllers, then read the difference.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from harness.adapters import adapter
from harness.adapters.common import lws_controller
from harness.adapters.common.lws_controller import gang_name
from harness.adapters.common.reference_controller import in_cluster
from harness.adapters.common.render import gang_objects, gang_yaml, parse, render
from harness.box.artifacts import Artifact
from harness.cases.values import LEADER_READY, LWS
from harness.core.errors import UsageError
from harness.core.gang import Gang, Role

GOLDEN = Path(__file__).parent / "golden"
INTEGRATIONS = ("lws", "lws-coscheduling", "lws-yunikorn")
GANGS = {
    "plain": Gang("plain", size=2, gpus=2),
    "roles": Gang("roles", roles=(Role("leader", 1, gpus=0), Role("worker", 2, gpus=4))),
    "leader-ready": Gang("leader-ready", size=3, quorum=1),
    "priority": Gang("priority", size=1, priority="high", selector={"muster.dev/pool": "a"}),
}
MANIFESTS = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mutating-webhook-configuration}
webhooks:
- {name: mset, clientConfig: {service: {name: s, path: /mutate-set}}, rules: [{resources: [leaderworkersets]}]}
- {name: mpod, clientConfig: {service: {name: s, path: /mutate-pod}}, rules: [{resources: [pods]}]}
"""


def compare(path: Path, text: str) -> None:
    if os.environ.get("MUSTER_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("integration", INTEGRATIONS)
@pytest.mark.parametrize("name", GANGS)
def test_gang_is_a_set_of_one_replica(integration: str, name: str) -> None:
    compare(
        GOLDEN / f"{integration}-{name}.yaml",
        gang_yaml(adapter(integration), GANGS[name], "default", "1.37.1").lstrip(),
    )


def test_set_of_many_words() -> None:
    gang = LWS("serve", size=3, startup=LEADER_READY).replica
    text = render(
        "lws/gang.yaml.j2",
        gang=gang,
        namespace="default",
        scheduler="some",
        replicas=2,
        startup=LEADER_READY,
        surge=1,
        subdomain="UniquePerReplica",
    )

    compare(GOLDEN / "lws-many-words.yaml", text)


@pytest.mark.parametrize("integration", INTEGRATIONS)
@pytest.mark.parametrize("name", GANGS)
def test_set_stands_for_its_gang(integration: str, name: str) -> None:
    integration_adapter, gang = adapter(integration), GANGS[name]
    (obj,) = gang_objects(integration_adapter, gang, "default", "1.37.1")

    kinds = {(kind.api_version, kind.kind) for kind in integration_adapter.groups("1.37.1")}
    assert (obj["apiVersion"], obj["kind"]) in kinds
    assert integration_adapter.read_group(obj) == (gang.name, gang.minimum)
    template = obj["spec"]["leaderWorkerTemplate"]
    for part in ("leaderTemplate", "workerTemplate"):
        if part in template:
            assert template[part]["spec"]["schedulerName"] == integration_adapter.scheduler
            assert template[part]["spec"]["restartPolicy"] == "Always", "a StatefulSet takes no other"


@pytest.mark.parametrize("integration", INTEGRATIONS)
@pytest.mark.parametrize(
    ("gang", "word"),
    [
        (Gang("a", size=3, quorum=2), "quorum=2"),
        (Gang("a", timeout=30), "timeout"),
        (Gang("a", roles=(Role("worker", 2), Role("other", 2))), "one leader"),
        (Gang("a", roles=(Role("leader", 1), Role("worker", 2), Role("other", 2))), "one leader"),
    ],
)
def test_what_a_set_cannot_say_is_refused(integration: str, gang: Gang, word: str) -> None:
    with pytest.raises(UsageError, match=word) as error:
        gang_yaml(adapter(integration), gang, "default", "1.37.1")

    assert error.value.hint


@pytest.mark.parametrize("integration", INTEGRATIONS)
def test_pods_of_a_replica_are_members_of_one_gang(integration: str) -> None:
    integration_adapter = adapter(integration)
    labels = {lws_controller.SET_LABEL: "serve", "muster.dev/gang": "serve"}

    def pod(index: str, worker: str) -> dict[str, object]:
        pod_labels = {**labels, lws_controller.INDEX_LABEL: index, lws_controller.WORKER_LABEL: worker}
        return {"metadata": {"name": "x", "namespace": "n1", "labels": pod_labels}}

    assert integration_adapter.classify(pod("0", "0")) == ("serve", "member", "leader")
    assert integration_adapter.classify(pod("0", "2")) == ("serve", "member", "worker")
    assert integration_adapter.classify(pod("3", "1")) == ("serve-3", "member", "worker")
    assert gang_name("serve", 3) == "serve-3"


def test_placeholders_hold_room_for_their_replica() -> None:
    meta = {
        "name": "tg-x",
        "namespace": "n1",
        "labels": {"yunikorn.apache.org/app-id": "n1.big-serve-2.0a1b2c3d"},
        "annotations": {
            "internal.yunikorn.apache.org/placeholder": "true",
            "yunikorn.apache.org/task-group-name": "worker",
        },
    }

    assert adapter("lws-yunikorn").classify({"metadata": meta}) == ("big-serve-2", "placeholder", "worker")


@pytest.mark.parametrize("integration", ["lws", "lws-coscheduling"])
def test_group_objects_stand_for_replicas(integration: str) -> None:
    integration_adapter, kind = adapter(integration), adapter(integration).membership.group
    assert kind in integration_adapter.groups("1.37.1")
    labels = {lws_controller.SET_LABEL: "serve", lws_controller.INDEX_LABEL: "1"}
    group = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": "any", "labels": labels}}

    assert integration_adapter.read_group({**group, "spec": {"minMember": 4}}) == ("serve-1", 4)
    assert integration_adapter.read_group({**group, "metadata": {"name": "podgroup-of-a-pod"}}) == ("", None)


def test_webhooks_are_by_url_and_those_of_pods_see_sets_only(tmp_path: Path) -> None:
    (tmp_path / "manifests.yaml").write_text(MANIFESTS)
    artifact = Artifact("lws", "1.0.0", {}, {}, {}, {}, files={"webhooks": (tmp_path / "manifests.yaml",)})
    (obj,) = lws_controller.MANAGER.webhooks(artifact, authority=b"PEM", url="https://127.0.0.1:7")

    assert obj["metadata"]["name"] == "lws-mutating-webhook-configuration"
    sets, pods = obj["webhooks"]
    bundle = base64.b64encode(b"PEM").decode()
    assert sets["clientConfig"] == {"url": "https://127.0.0.1:7/mutate-set", "caBundle": bundle}
    assert "objectSelector" not in sets
    assert pods["objectSelector"]["matchExpressions"][0]["key"] == lws_controller.SET_LABEL


@pytest.mark.parametrize("provider", ["coscheduling", "yunikorn"])
def test_provider_in_a_cluster_may_do_what_it_does(provider: str) -> None:
    objects = in_cluster("lws-provider", "lws", "muster-system", "muster:1", {"provider": provider})
    kinds = [obj["kind"] for obj in objects]
    (role,) = [obj for obj in objects if obj["kind"] == "ClusterRole"]
    allowed = {resource for rule in role["rules"] for resource in rule["resources"]}

    assert kinds[0] == "Namespace" and kinds[-1] == "MutatingWebhookConfiguration"
    assert ("podgroups" in allowed) == (provider == "coscheduling")
    (hook,) = objects[-1]["webhooks"]
    assert hook["failurePolicy"] == "Fail", "a pod without its gang is never let in"
    assert objects[-1]["metadata"]["name"] > "lws-mutating-webhook-configuration", "it is asked after the release"
    deployment = next(obj for obj in objects if obj["kind"] == "Deployment")
    assert f"--provider={provider}" in deployment["spec"]["template"]["spec"]["containers"][0]["args"]


def test_no_golden_file_is_left_over() -> None:
    expected = {f"{integration}-{name}.yaml" for integration in INTEGRATIONS for name in GANGS} | {
        "lws-many-words.yaml"
    }

    assert {path.name for path in GOLDEN.glob("lws*.yaml")} == expected
    assert all(parse(path.read_text()) for path in GOLDEN.glob("lws*.yaml"))
