"""The parts of an existing box that need no cluster: kubeconfigs, the mark of a run, the role, what others have."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from harness.box.existing.access import read_access
from harness.box.existing.foreign import Foreign
from harness.box.existing.ownership import RUN_LABEL, Ownership
from harness.box.existing.rights import BASIC, needed, role
from harness.box.existing.survey import Program
from harness.box.spec import BoxSpec
from harness.core.errors import UsageError
from harness.core.kinds import Kind

KUBECONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "production",
    "contexts": [
        {"name": "production", "context": {"cluster": "c", "user": "u"}},
        {"name": "staging", "context": {"cluster": "c", "user": "u", "namespace": "team"}},
        {"name": "lost", "context": {"cluster": "nowhere", "user": "u"}},
        {"name": "odd", "context": "text"},
    ],
    "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1", "certificate-authority": "ca.crt"}}],
    "users": [{"name": "u", "user": {"token": "secret"}}],
}
OWNER = Ownership("abc")


def written(folder: Path, content: object = KUBECONFIG) -> Path:
    path = folder / "config"
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return path


def test_context_is_read_alone_with_absolute_paths(tmp_path: Path) -> None:
    access = read_access(written(tmp_path), "staging")

    assert access.server == "https://127.0.0.1:1"
    assert [context["name"] for context in access.content["contexts"]] == ["staging"]
    assert access.content["clusters"][0]["cluster"]["certificate-authority"] == str(tmp_path / "ca.crt")
    assert access.write(tmp_path / "copy").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("context", "message"),
    [("", "must be said"), ("stagin", "no context 'stagin'"), ("lost", "no cluster 'nowhere'"), ("odd", "no context")],
)
def test_context_is_never_guessed(tmp_path: Path, context: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_access(written(tmp_path), context)

    assert message in caught.value.message
    if context != "lost":
        assert "production, staging" in caught.value.hint


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not YAML"),
        ("[]", "no list of contexts"),
        ("a: 1", "no list of contexts"),
        ({**KUBECONFIG, "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1"}}]}, "has the server"),
        (
            {
                **KUBECONFIG,
                "clusters": [
                    {"name": "c", "cluster": {"server": "https://x", "insecure-skip-tls-" + "verify": True}},
                ],
            },
            "turns the verification",
        ),
    ],
)
def test_kubeconfig_that_cannot_be_used_is_refused(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_access(written(tmp_path, content), "staging")

    assert message in caught.value.message


def test_kubeconfig_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_access(tmp_path / "none", "staging")


def test_login_program_that_fails_is_told_as_that(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    login = {"apiVersion": "client.authentication.k8s.io/v1", "command": "no-such-login", "interactiveMode": "Never"}
    cluster = {"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}
    content = {**KUBECONFIG, "clusters": [cluster], "users": [{"name": "u", "user": {"exec": login}}]}
    access = read_access(written(tmp_path, content), "staging")

    with pytest.raises(UsageError, match=r"credentials of context 'staging' .* cannot be used: .*no-such-login"):
        access.connect()

    assert capfd.readouterr().err == "", "there is one message"


def test_options_of_one_kind_of_box_are_refused_for_the_others() -> None:
    for spec in (BoxSpec("embedded", kubeconfig="x"), BoxSpec("existing", image="own"), BoxSpec("kind", context="x")):
        with pytest.raises(UsageError):
            spec.check()
    with pytest.raises(UsageError, match="needs a cluster"):
        BoxSpec("existing").check()


def test_every_object_is_marked_and_pods_stay_on_own_nodes() -> None:
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}], "nodeSelector": {"a": "b"}}}
    job = {"kind": "Job", "metadata": {"name": "j"}, "spec": {"template": pod}}

    marked = OWNER.mark(job)
    template = marked["spec"]["template"]

    assert marked["metadata"]["labels"] == {RUN_LABEL: "abc"}
    assert template["metadata"]["labels"] == {RUN_LABEL: "abc"}
    assert template["spec"]["nodeSelector"] == {"a": "b", RUN_LABEL: "abc"}
    assert OWNER.toleration in template["spec"]["tolerations"]
    assert "labels" not in job["metadata"], "what was given is not changed"


def test_node_carries_the_taint_that_only_own_pods_tolerate() -> None:
    node = OWNER.mark({"kind": "Node", "metadata": {"name": "n"}, "spec": {"taints": [{"key": "k"}]}})

    assert [taint["key"] for taint in node["spec"]["taints"]] == ["k", RUN_LABEL]


def test_role_has_every_right_that_is_asked_for() -> None:
    kind = Kind("scheduling.example/v1", "PodGroup", "podgroups")
    rules = role(needed([kind]))["rules"]

    assert len(rules) == len(BASIC) + 1
    assert {"apiGroups": ["scheduling.example"], "resources": ["podgroups"]}.items() <= rules[-1].items()
    assert not any("*" in verb for rule in rules for verb in rule["verbs"])


def test_changes_of_others_are_told() -> None:
    before = Foreign({"Pod a/x": ("1", "s", "Running"), "Pod a/y": ("2", "s", "Running"), "Node n": ("3", "s", "")})
    after = Foreign({"Pod a/x": ("1", "t", "Running"), "Pod a/y": ("2", "s", "Failed"), "Pod a/z": ("4", "s", "")})

    assert before.changes(before) == []
    assert before.changes(after) == [
        "Node n is gone",
        "Pod a/x has another spec",
        "Pod a/y was Running and is Failed",
        "Pod a/z is new",
    ]


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("registry.example/volcano/vc-scheduler:v1.14.1", "1.14.1"),
        ("registry.example:5000/team/scheduler@sha256:0123", ""),
        ("apache/yunikorn:scheduler-1.8.0", "1.8.0"),
        ("muster.local/volcano-scheduler:1.14.1-0a1b2c3d4e5f", "1.14.1"),
        ("scheduler:latest", ""),
    ],
)
def test_version_is_read_from_the_tag(image: str, version: str) -> None:
    assert Program("Deployment", "a", "b", image).version == version
