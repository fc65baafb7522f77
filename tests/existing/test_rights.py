"""The printed role is enough for a run, and a right that is missing is named before anything is created."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from harness import EmbeddedBox
from harness.adapters import adapter
from harness.box.api import Api, Object
from harness.box.existing import removal
from harness.box.existing.access import read_access
from harness.box.existing.rights import missing, needed, role
from harness.cli.cluster import queue_kinds
from harness.core.kinds import Kind
from tests.existing.somebody import SELECTOR, bind_role, cases, muster, outcomes, printed_role
from tests.waiting import soon

CREDENTIAL = "client.authentication.k8s.io/v1"
CASES = ("gang-that-fits-is-bound-whole", "gang-preempts-and-starts-whole", "bind-of-one-member-is-refused")
QUEUED = "gang-within-the-limit-of-its-queue-is-bound-whole"
ROLE = Kind("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", namespaced=False)
RIGHTS = needed([*adapter("workload").groups("1.37"), *adapter("volcano").groups("1.37"), *queue_kinds()])
SINGLE = [(right.group, resource, verb) for right in RIGHTS for resource in right.resources for verb in right.verbs]


@pytest.mark.parametrize(
    ("integration", "options", "names"),
    [
        ("workload", (), CASES),
        pytest.param("workload", ("--nodes-selector", SELECTOR), CASES[:1], marks=pytest.mark.thorough),
        pytest.param("volcano", ("--disrupt", "queues"), (CASES[0], QUEUED), marks=pytest.mark.thorough),
    ],
)
def test_printed_role_is_enough(
    somebody: EmbeddedBox, tmp_path: Path, integration: str, options: tuple[str, ...], names: tuple[str, ...]
) -> None:
    user = f"tester-{integration}-{len(options)}-{len(names)}"
    disrupt = options if "--disrupt" in options else ()
    for obj in printed_role("--integration", integration, *disrupt):
        obj["metadata"]["name"] = user
        somebody.api.create(obj)
    bind_role(somebody.api, user, user)
    kubeconfig = somebody.identity(user, ())

    arguments = ("run", "--integration", integration, *cases(*names), *options, "--yes", "--output", str(tmp_path))
    done = muster(*arguments, kubeconfig=kubeconfig, context=somebody.name)

    assert done.returncode == 0, done.stdout + done.stderr
    assert set(outcomes(tmp_path).values()) == {"pass"}
    assert removal.leftovers(somebody.api, kinds=queue_kinds()) == []


@pytest.mark.parametrize("login", ["token", "file", "program"])
def test_token_is_taken_however_the_kubeconfig_has_it(somebody: EmbeddedBox, tmp_path: Path, login: str) -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": login, "namespace": "default"}}
    somebody.api.apply(account)
    path = f"/api/v1/namespaces/default/serviceaccounts/{login}/token"
    token = somebody.api.request("POST", path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"})
    credential = {"apiVersion": CREDENTIAL, "kind": "ExecCredential", "status": {"token": token["status"]["token"]}}
    program = {
        "apiVersion": CREDENTIAL,
        "command": "echo",
        "args": [json.dumps(credential)],
        "interactiveMode": "Never",
    }
    (tmp_path / "token").write_text(token["status"]["token"])
    users = {"token": {"token": token["status"]["token"]}, "file": {"tokenFile": "token"}, "program": {"exec": program}}
    content = yaml.safe_load(somebody.kubeconfig.read_text())
    content["users"][0]["user"] = users[login]
    kubeconfig = tmp_path / "config"
    kubeconfig.write_text(yaml.safe_dump(content))

    api = read_access(kubeconfig, somebody.name).connect()
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = api.request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review)

    assert answer["status"]["userInfo"]["username"] == f"system:serviceaccount:default:{login}"


@pytest.fixture(scope="module")
def nearly(somebody: EmbeddedBox) -> Path:
    """The kubeconfig of a user whose role the tests change."""
    somebody.api.create({**role(RIGHTS), "metadata": {"name": "nearly"}})
    bind_role(somebody.api, "nearly", "nearly")
    return somebody.identity("nearly", ())


def without(group: str, resource: str, verb: str) -> Object:
    """The role of a run with one right less; a resource may be in it twice."""
    rules = []
    for rule in role(RIGHTS)["rules"]:
        if rule["apiGroups"] == [group] and resource in rule["resources"]:
            others = [name for name in rule["resources"] if name != resource]
            rules += [{**rule, "resources": others}] if others else []
            rules.append({**rule, "resources": [resource], "verbs": [name for name in rule["verbs"] if name != verb]})
        else:
            rules.append(rule)
    return {**role(()), "metadata": {"name": "nearly"}, "rules": rules}


def replace_role(api: Api, obj: Object) -> None:
    stored = api.get(ROLE, "", "nearly")
    obj["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"]
    api.request("PUT", ROLE.path("", "nearly"), obj)


def test_right_that_is_missing_is_named_before_anything_is_created(
    somebody: EmbeddedBox, nearly: Path, tmp_path: Path
) -> None:
    replace_role(somebody.api, without("", "nodes", "create"))
    user = read_access(nearly, somebody.name).connect()
    assert soon(lambda: missing(user, RIGHTS))

    arguments = ("run", *cases(CASES[0]), "--yes", "--output", str(tmp_path / "runs"))
    done = muster(*arguments, kubeconfig=nearly, context=somebody.name)

    assert done.returncode == 4
    assert "1 right missing in this cluster; nothing was created:\n  create nodes (own nodes are made" in done.stderr
    assert not (tmp_path / "runs").exists()
    assert removal.leftovers(somebody.api) == []


@pytest.mark.parametrize(
    "right",
    [
        pytest.param(right, marks=() if number % 20 == 0 else pytest.mark.thorough)
        for number, right in enumerate(SINGLE)
    ],
    ids=lambda right: "-".join(filter(None, right)).replace("/", "."),
)
def test_each_right_is_missed(somebody: EmbeddedBox, nearly: Path, right: tuple[str, str, str]) -> None:
    group, resource, verb = right
    user = read_access(nearly, somebody.name).connect()

    replace_role(somebody.api, without(*right))

    expected = f"{verb} {resource}.{group}" if group else f"{verb} {resource}"
    assert soon(lambda: {text.partition(" (")[0] for text in missing(user, RIGHTS)} == {expected}, 20)
