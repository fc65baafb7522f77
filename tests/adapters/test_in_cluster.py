"""Integrations that are made of several parts, as a cluster runs them: what is applied, in which order, and by what
name their programs then go. No cluster is needed: the API server here only writes down what it is asked."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from cryptography import x509

from harness.adapters import adapter
from harness.adapters.common import hosting, jobset, kueue_controller, lws_controller, reference_controller
from harness.adapters.common.base import InstallContext, Installed, Settings
from harness.box.artifacts import Artifact, load
from harness.box.image.archive import Image, program_image
from harness.box.kind import docker
from harness.box.kind.box import KindBox
from harness.box.kind.deployed import DeployedProgram
from harness.box.kind.nodeimage import SHELL
from harness.box.pki import Authority
from harness.core.errors import UsageError
from harness.core.kinds import Kind
from harness.testbed import install as incluster
from harness.testbed.testbed import Testbed

STATIC = Path("/bin/sh").read_bytes()[:20].ljust(64, b"\0")  # a program of no segments at all: none names a loader
RBAC = {
    "service_account.yaml": """
kind: ServiceAccount
metadata: {name: controller-manager, namespace: system, labels: {app.kubernetes.io/created-by: kit}}
""",
    "role.yaml": """
kind: ClusterRole
metadata: {name: manager-role}
rules:
- {apiGroups: [batch], resources: [jobs], verbs: [create]}
- {resources: [mutatingwebhookconfigurations], resourceNames: [mutating-webhook-configuration], verbs: [update]}
""",
    "role_binding.yaml": """
kind: ClusterRoleBinding
metadata: {name: manager-rolebinding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager-role}
subjects: [{kind: ServiceAccount, name: controller-manager, namespace: system}]
""",
}
HOOKS = """
kind: MutatingWebhookConfiguration
metadata: {name: mutating-webhook-configuration}
webhooks:
- name: mset
  clientConfig: {service: {name: webhook-service, namespace: system, path: /sets}}
  rules: [{apiGroups: [kueue.x-k8s.io], resources: [sets]}]
- name: mpod
  clientConfig: {service: {name: webhook-service, namespace: system, path: /pods}}
  rules: [{apiGroups: [""], resources: [pods]}]
"""
CHART = {
    "values.yaml": "custom: {enabled_admissions: /jobs/mutate, scheduler_schedule_period: 1s}",
    "volcano-scheduler.conf": "actions: allocate",
    "webhooks.yaml": """
kind: MutatingWebhookConfiguration
metadata: {name: jobs-mutate}
webhooks:
- clientConfig: {service: {name: volcano-admission-service, namespace: volcano-system, path: /jobs/mutate, port: 443}}
""",
}
SHIPPED = """
kind: Configuration
leaderElection: {leaderElect: true, resourceName: c1f6bfd2.kueue.x-k8s.io}
integrations: {frameworks: [batch/job, pod]}
"""
CONVERSION = """
kind: CustomResourceDefinition
metadata: {name: clusterqueues.kueue.x-k8s.io}
spec:
  conversion:
    strategy: Webhook
    webhook:
      clientConfig: {service: {namespace: system, name: webhook-service, path: /convert}}
      conversionReviewVersions: [v1]
"""
SAMPLE = "{leaderElection: {}, clientConnection: {}, profiles: [{schedulerName: x, pluginConfig: []}]}"
VERSIONS = {"jobset": "0.12.0", "lws": "0.9.0"}


def release(component: str, folder: Path) -> Artifact:
    """An artifact with the files of a release, much shortened."""
    files = {
        "rbac": RBAC,
        "webhooks": {"manifests.yaml": HOOKS},
        "chart": CHART,
        "config": {"scheduler-config.yaml": SAMPLE, "controller_manager_config.yaml": SHIPPED},
        "conversion": {"webhook_in_clusterqueues.yaml": CONVERSION},
    }
    paths: dict[str, tuple[Path, ...]] = {"crds": ()}
    for group, texts in files.items():
        where = folder / component / group
        where.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (where / name).write_text(text)
        paths[group] = tuple(where / name for name in texts)
    binaries = {}
    for process, recipe in load().component(component).processes.items():
        binaries[process] = folder / component / (recipe.file or process)
        binaries[process].write_bytes(STATIC)
    sums = dict.fromkeys(binaries, "0123456789abcdef")
    return Artifact(component, VERSIONS.get(component, "1.0.0"), binaries, sums, {}, {}, files=paths)


def objects_of(name: str, index: int, folder: Path, options: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """What a part of an integration applies."""
    part = adapter(name).cluster[index]
    artifact = release(part.component, folder) if part.component else None
    images = {process: f"example/{process}:1" for process in (artifact.binaries if artifact else ["controller"])}
    return part.objects(InstallContext(artifact, images, Authority.create(), options or {}))


def single(objects: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    (match,) = [obj for obj in objects if obj["kind"] == kind]
    return match


def arguments(objects: list[dict[str, Any]]) -> list[str]:
    container = single(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0]
    return list(container["args"])


RELEASES = [
    ("jobset-gang", 0, "jobset"),
    ("jobset-barrier", 0, "jobset"),
    ("lws", 1, "lws"),
    ("lws-coscheduling", 1, "lws"),
    ("lws-yunikorn", 1, "lws"),
]
QUEUES = [("kueue", 0, "kueue"), ("kueue-workload", 0, "kueue")]
REFERENCES = [
    ("jobset-gang", 1, "jobset-gang"),
    ("jobset-barrier", 1, "jobset-barrier"),
    ("lws-coscheduling", 2, "lws-provider"),
    ("lws-yunikorn", 2, "lws-provider"),
]


@pytest.mark.parametrize(("name", "index", "prefix"), RELEASES + QUEUES)
def test_a_release_has_its_own_roles_under_the_names_of_its_kustomization(
    name: str, index: int, prefix: str, tmp_path: Path
) -> None:
    objects = objects_of(name, index, tmp_path)
    space, manager = f"{prefix}-system", f"{prefix}-controller-manager"

    assert objects[0]["kind"] == "Namespace" and objects[0]["metadata"]["name"] == space
    assert single(objects, "ServiceAccount")["metadata"] == {"name": manager, "namespace": space}
    assert single(objects, "ClusterRole")["metadata"]["name"] == f"{prefix}-manager-role"
    jobs, hooks, *_ = single(objects, "ClusterRole")["rules"]
    assert jobs["resources"] == ["jobs"] and hooks["resourceNames"] == [f"{prefix}-mutating-webhook-configuration"]
    binding = single(objects, "ClusterRoleBinding")
    assert binding["roleRef"]["name"] == f"{prefix}-manager-role"
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": manager, "namespace": space}]
    deployment = single(objects, "Deployment")
    assert deployment["metadata"] | {"labels": 0} == {"name": manager, "namespace": space, "labels": 0}
    assert deployment["spec"]["template"]["spec"]["serviceAccountName"] == manager


@pytest.mark.parametrize(("name", "index", "prefix"), RELEASES)
def test_webhooks_of_a_release_are_called_by_service_about_pods_of_sets(
    name: str, index: int, prefix: str, tmp_path: Path
) -> None:
    objects = objects_of(name, index, tmp_path)
    sets, pods = objects[-1]["webhooks"]
    where = {"name": f"{prefix}-webhook-service", "namespace": f"{prefix}-system"}

    assert sets["clientConfig"]["service"] == {**where, "path": "/sets"} and "objectSelector" not in sets
    label = {"jobset": jobset.SET_LABEL, "lws": lws_controller.SET_LABEL}[prefix]
    assert pods["objectSelector"] == {"matchExpressions": [{"key": label, "operator": "Exists"}]}
    assert single(objects, "Service")["metadata"] == where
    assert incluster.services_of(single(objects, "Deployment"), objects) == [(where["namespace"], where["name"], 443)]
    assert f"{where['name']}.{where['namespace']}.svc" in served_names(objects)


def test_webhooks_of_kueue_spare_the_namespaces_that_its_kustomization_spares(tmp_path: Path) -> None:
    objects = objects_of("kueue", 0, tmp_path)
    sets, pods = objects[-1]["webhooks"]
    (rule,) = pods["namespaceSelector"]["matchExpressions"]

    assert "namespaceSelector" not in sets and "objectSelector" not in pods
    assert (rule["operator"], rule["values"]) == ("NotIn", ["kube-system", "kueue-system"])
    assert "kueue-webhook-service.kueue-system.svc" in served_names(objects)


def test_kueue_has_its_shipped_configuration_and_finds_its_certificate_twice(tmp_path: Path) -> None:
    options = {"wait-for-pods-ready": "on", "pods-ready-timeout": "7s"}
    objects = objects_of("kueue", 0, tmp_path, options)
    config = yaml.safe_load(single(objects, "ConfigMap")["data"][kueue_controller.CONFIG])
    (container,) = single(objects, "Deployment")["spec"]["template"]["spec"]["containers"]
    folders = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}

    assert config["integrations"] == {"frameworks": ["batch/job", "pod"]}
    assert config["leaderElection"] == {"leaderElect": False, "resourceName": "c1f6bfd2.kueue.x-k8s.io"}
    assert config["waitForPodsReady"]["timeout"] == "7s" and config["waitForPodsReady"]["recoveryTimeout"] == "3m"
    assert config["webhook"]["certDir"] == folders["certificates"] == "/etc/kueue/metrics/certs"
    assert container["args"][0] == f"--config={folders['files']}/{kueue_controller.CONFIG}"


def test_kueue_converts_its_older_api_by_its_service(tmp_path: Path) -> None:
    patches: list[tuple[Kind, str, Any]] = []
    api = SimpleNamespace(patch=lambda kind, namespace, name, change: patches.append((kind, name, change)))
    box = SimpleNamespace(api=api, authority=Authority.create())
    adapter("kueue").cluster[0].prepare(box, release("kueue", tmp_path))  # type: ignore[arg-type]
    ((_, name, change),) = patches
    client = change["spec"]["conversion"]["webhook"]["clientConfig"]

    assert name == "clusterqueues.kueue.x-k8s.io"
    assert client["service"] == {"name": "kueue-webhook-service", "namespace": "kueue-system", "path": "/convert"}
    assert base64.b64decode(client["caBundle"]) == box.authority.certificate


@pytest.mark.parametrize(("name", "index", "program"), REFERENCES)
def test_a_reference_controller_is_called_by_a_service_of_its_name(
    name: str, index: int, program: str, tmp_path: Path
) -> None:
    objects = objects_of(name, index, tmp_path)
    services = incluster.services_of(single(objects, "Deployment"), objects)

    assert services == [("muster-system", program, 443)]
    assert f"{program}.muster-system.svc" in served_names(objects)
    assert single(objects, "ClusterRoleBinding")["subjects"][0]["name"] == program
    assert arguments(objects)[0] == "--address=0.0.0.0", "its image says already which controller it is"


def served_names(objects: list[dict[str, Any]]) -> list[str]:
    """The names in the certificate, which the webhooks' bundle must have signed."""
    certificate = x509.load_pem_x509_certificate(base64.b64decode(single(objects, "Secret")["data"]["tls.crt"]))
    for obj in objects:
        for hook in obj.get("webhooks") or ():
            authority = x509.load_pem_x509_certificate(base64.b64decode(hook["clientConfig"]["caBundle"]))
            certificate.verify_directly_issued_by(authority)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    return names.value.get_values_for_type(x509.DNSName)


def test_settings_of_a_release_lie_where_its_flag_says(tmp_path: Path) -> None:
    objects = objects_of("lws", 1, tmp_path)
    files = {name: yaml.safe_load(text) for name, text in single(objects, "ConfigMap")["data"].items()}
    (container,) = single(objects, "Deployment")["spec"]["template"]["spec"]["containers"]
    folders = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}

    assert container["args"][0] == f"--config={folders['files']}/{lws_controller.CONFIG}"
    assert files[lws_controller.CONFIG]["gangSchedulingManagement"] == {"schedulerProvider": "volcano"}
    assert "gangSchedulingManagement" not in files[lws_controller.CONFIG_OFF]
    assert {config["webhook"]["certDir"] for config in files.values()} == {folders["certificates"]}
    assert {config["webhook"]["host"] for config in files.values()} == {"0.0.0.0"}
    config_map = single(objects_of("lws-coscheduling", 1, tmp_path), "ConfigMap")
    assert list(yaml.safe_load(config_map["data"]["lws.yaml"])) == list(files[lws_controller.CONFIG_OFF])


def test_only_gangs_on_volcano_let_the_release_make_groups(tmp_path: Path) -> None:
    rules = [single(objects_of(name, 1, tmp_path), "ClusterRole")["rules"] for name in ("lws", "lws-coscheduling")]
    assert [any("podgroups" in rule["resources"] for rule in each) for each in rules] == [True, False]


def test_options_become_flags_of_the_reference_and_are_checked(tmp_path: Path) -> None:
    assert "--init-image=busybox:1" in arguments(objects_of("jobset-barrier", 1, tmp_path, {"init-image": "busybox:1"}))
    assert not [flag for flag in arguments(objects_of("jobset-barrier", 1, tmp_path)) if "init-image" in flag]
    assert "--provider=yunikorn" in arguments(objects_of("lws-yunikorn", 2, tmp_path))
    with pytest.raises(UsageError, match="is no image"):
        objects_of("jobset-barrier", 1, tmp_path, {"init-image": "busybox latest"})


def test_an_option_that_has_no_effect_in_a_cluster_is_refused() -> None:
    incluster.check_cluster_options(adapter("jobset-barrier"), Settings(options={"init-image": "a"}))
    with pytest.raises(UsageError, match="given: schedule-period") as caught:
        incluster.check_cluster_options(adapter("lws"), Settings(options={"schedule-period": "100ms"}))
    assert "use the embedded box" in caught.value.hint


def test_the_shell_of_our_own_nodes_is_a_default_and_told() -> None:
    barrier = adapter("jobset-barrier")
    options, (departure,) = incluster.options_inside(barrier, Settings(), shell=SHELL)
    assert options == {"init-image": SHELL} and SHELL in departure.what
    settings = Settings(options={"init-image": "mine:1"})
    assert incluster.options_inside(barrier, settings, shell=SHELL) == (settings.options, ())
    assert incluster.options_inside(barrier, Settings(), shell="") == ({}, ())
    assert incluster.options_inside(adapter("lws"), Settings(), shell=SHELL) == ({}, ())


# -- the whole ---------------------------------------------------------------------------------------------------------


class Written:
    """An API server that accepts everything, and in which every pod is ready."""

    def __init__(self) -> None:
        self.applied: list[dict[str, Any]] = []
        self.patches: list[Any] = []

    def apply(self, obj: dict[str, Any]) -> None:
        self.applied.append(obj)

    def create(self, obj: dict[str, Any], **_: str) -> None: ...

    def patch(self, resource: Kind, namespace: str, name: str, change: Any, **_: str) -> None:
        self.patches.append(change)

    def get(self, resource: Kind, namespace: str, name: str) -> dict[str, Any]:
        return {"spec": {"clusterIP": f"{name}.{namespace}"}}

    def list(self, resource: Kind, namespace: str, labelSelector: str) -> list[dict[str, Any]]:
        status = {"ready": True, "state": {"running": {"startedAt": "2999-01-01T00:00:00Z"}}}
        meta = {"name": "p", "creationTimestamp": "2999-01-01T00:00:00Z"}
        return [{"metadata": meta, "spec": {"nodeName": "n"}, "status": {"containerStatuses": [status]}}]


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KindBox:
    """A kind box without a cluster."""
    kind_box = KindBox()
    kind_box.kubernetes = "1.37.1"
    kind_box._runtime.directory = tmp_path
    kind_box._runtime.api = Written()  # type: ignore[assignment]
    kind_box._runtime.credentials = SimpleNamespace(authority=Authority.create())  # type: ignore[assignment]
    kind_box.image = SimpleNamespace(is_own=True)  # type: ignore[assignment]
    kind_box.nodes = SimpleNamespace(host="last-worker")  # type: ignore[assignment]
    loaded: list[str] = []
    kind_box._cluster = SimpleNamespace(  # type: ignore[assignment]
        load=lambda archive, node: loaded.append(f"{archive.stem} on {node}"), control_plane="plane", loaded=loaded
    )
    monkeypatch.setattr(docker, "execute", lambda *_: "")
    monkeypatch.setattr(hosting, "artifact", lambda component, settings: release(component, tmp_path))
    monkeypatch.setattr(
        reference_controller,
        "muster_image",
        lambda name, program, arguments: Image(name, {}, (f"/opt/muster/bin/{program}", *arguments)),
    )
    return kind_box


INSTALLED = {  # programs, then which of them are the schedulers, and the controllers
    "jobset-gang": (["jobset-controller", "jobset-gang"], ["kube-scheduler"], ["jobset-controller", "jobset-gang"]),
    "jobset-barrier": (["jobset-barrier", "jobset-controller"], ["kube-scheduler"], ["jobset-barrier"]),
    "lws": (
        ["lws-controller", "vc-controller-manager", "vc-scheduler", "vc-webhook-manager"],
        ["vc-scheduler"],
        ["lws-controller"],
    ),
    "lws-coscheduling": (
        ["coscheduling-controller", "coscheduling-scheduler", "lws-controller", "lws-provider"],
        ["coscheduling-scheduler"],
        ["lws-provider"],
    ),
    "lws-yunikorn": (
        ["lws-controller", "lws-provider", "yunikorn-scheduler"],
        ["yunikorn-scheduler"],
        ["lws-provider"],
    ),
    "volcano": (
        ["vc-controller-manager", "vc-scheduler", "vc-webhook-manager"],
        ["vc-scheduler"],
        ["vc-controller-manager"],
    ),
    "yunikorn": (["yunikorn-scheduler"], ["yunikorn-scheduler"], ["yunikorn-scheduler"]),
}


@pytest.mark.parametrize("name", INSTALLED)
def test_programs_go_by_the_names_they_have_in_an_embedded_box(name: str, box: KindBox) -> None:
    installed = incluster.install(adapter(name), box, Settings())
    programs, schedulers, controllers = INSTALLED[name]

    assert sorted(box.processes) == programs
    assert (list(installed.schedulers), list(installed.controllers)) == (schedulers, controllers)
    assert installed.version == VERSIONS.get(adapter(name).component, "1.0.0")
    assert installed.artifacts[0].component == adapter(name).component
    assert len(box.cluster.loaded) == len(programs)  # type: ignore[attr-defined]
    assert all(image.endswith(" on last-worker") for image in box.cluster.loaded)  # type: ignore[attr-defined]
    assert all(process.is_ready() for process in box.processes.values())


@pytest.mark.parametrize("name", INSTALLED)
def test_webhooks_come_after_what_serves_them(name: str, box: KindBox) -> None:
    incluster.install(adapter(name), box, Settings())
    applied = box.api.applied  # type: ignore[attr-defined]
    for at, obj in enumerate(applied):
        for hook in obj.get("webhooks") or ():
            service = hook["clientConfig"]["service"]["name"]
            assert service in {earlier["metadata"]["name"] for earlier in applied[:at] if earlier["kind"] == "Service"}
    for obj in applied:
        if obj["kind"] == "Deployment":
            spec = obj["spec"]["template"]["spec"]
            assert spec["nodeSelector"] == {"kubernetes.io/hostname": "last-worker"}, "it runs where its image is"
            assert {"operator": "Exists", "effect": "NoSchedule"} in spec["tolerations"], "also when that is cordoned"


def test_what_departs_from_the_release_is_told_once(box: KindBox) -> None:
    departures = incluster.install(adapter("jobset-barrier"), box, Settings()).departures
    text = " ".join(departure.what for departure in departures)

    assert len(set(departures)) == len(departures)
    assert "process of this machine" not in text and "SIMULATED" not in text
    assert "groupSchedulingConfig" in text and "reference controller" in text and "leader election" in text


@pytest.mark.parametrize(("name", "simulated"), [("jobset-barrier", False), ("jobset-gang", True)])
def test_cases_about_containers_get_workers_that_run_them(name: str, simulated: bool, box: KindBox) -> None:
    installed = incluster.install(adapter(name), box, Settings())
    recorder = SimpleNamespace()
    assert Testbed(box, adapter(name), installed, recorder, {}).simulated is simulated  # type: ignore[arg-type]


def test_what_stays_a_process_of_this_machine_is_told(box: KindBox) -> None:
    def start(box: Any, settings: Settings) -> Installed:
        box.processes["mine"] = object()
        return Installed("1")

    beside = replace(adapter("reference"), install=start)
    (departure,) = incluster.install(beside, box, Settings()).departures
    assert "processes of this machine: mine" in departure.what
    assert incluster.install(beside, box, Settings()).departures == (), "nothing was started"


def test_fields_are_added_before_the_controller_comes_up(box: KindBox) -> None:
    incluster.install(adapter("jobset-gang"), box, Settings())
    change = box.api.patches[0]  # type: ignore[attr-defined]
    assert [step["path"].rpartition("/")[2] for step in change] == ["gangConfig", "gangConfig"]


def test_another_configuration_takes_effect_when_the_program_is_started(
    box: KindBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    incluster.install(adapter("lws"), box, Settings())
    process: Any = box.processes[lws_controller.CONTROLLER]
    monkeypatch.setattr(DeployedProgram, "pid", 0)
    before = process.command
    after = tuple(flag.replace("/lws.yaml", "/lws-off.yaml") for flag in before.argv)
    process.command = replace(before, argv=after)
    process.restart(5)
    held, released = box.api.patches[-2:]  # type: ignore[attr-defined]

    assert held == {"spec": {"replicas": 0}}
    assert [step["value"] for step in released] == [1, list(after[1:])]
    process.restart(5)
    assert [step["value"] for step in box.api.patches[-1]] == [1], "written once"  # type: ignore[attr-defined]


def test_a_program_is_ready_when_its_service_answers(box: KindBox) -> None:
    incluster.install(adapter("jobset-gang"), box, Settings())
    process: Any = box.processes["jobset-gang"]
    assert process.is_ready()
    process.answers = lambda: False
    assert not process.is_ready()


def test_a_program_of_the_user_takes_the_place_of_the_reference(box: KindBox, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_bytes(STATIC)
    mine.chmod(0o755)
    incluster.install(adapter("jobset-gang"), box, Settings(binaries={"jobset-gang.controller": mine}))
    assert box.processes["jobset-gang"].command.argv[0] == "/jobset-gang"


def test_a_program_that_needs_more_than_itself_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    for path in (script, Path("/bin/sh").resolve()):
        with pytest.raises(UsageError, match="would contain this file only"):
            program_image("x:1", path)
