"""Every gang template, by golden files: what a user would apply with kubectl, word for word.

After a change that is meant: MUSTER_UPDATE_GOLDEN=1 pytest tests/adapters, then read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.adapters import adapter, names
from harness.adapters.common.base import features_of
from harness.adapters.common.render import gang_objects, gang_yaml
from harness.box.minor import default_minor, minors
from harness.core.errors import UsageError
from harness.core.gang import GPU, Gang, Role

GOLDEN = Path(__file__).parent / "golden"
PLAIN = Gang("plain", size=2, gpus=2)
GANGS = {
    "plain": PLAIN,
    "quorum": Gang("quorum", size=3, quorum=2, missing=1, gated=1, lifetime=3),
    "roles": Gang("roles", roles=(Role("leader", 1, gpus=0), Role("worker", 2, quorum=1, gpus=4))),
    "priority": Gang("priority", size=1, priority="high", selector={"muster.dev/pool": "a"}),
    "timeout": Gang("timeout", size=1, timeout=30),
    "queue": Gang("queue", size=1, queue="team"),
}
EXAMPLES = {  # gangs that show more of a style than the plain one does, and styles together
    "volcano": {"vcjob": GANGS["roles"].but(name="vcjob", priority="high", queue="team", lifetime=3)},
    "yunikorn": {"soft": PLAIN.but(timeout=30)},
    "koordinator": {
        "annotations": PLAIN.but(timeout=30),
        "annotations+nonstrict+only-waiting": PLAIN.but(group=("other", "elsewhere/third")),
        "waiting-and-running": PLAIN.but(group=("other",), stated_size=4),
    },
    "reference": {"annotations": PLAIN.but(timeout=30, stated_size=4, group=("other",))},
}
SCHEDULERS = [name for name in names() if "gang" in features_of(adapter(name))]


def everything() -> list[tuple[str, str, Gang, str]]:
    """Every gang for every scheduler, in every style that it has; the native one on every Kubernetes."""
    rows = []
    for name in SCHEDULERS:
        versions = minors() if adapter(name).component == "kubernetes" else [default_minor()]
        styles = dict.fromkeys(adapter(name).styles, PLAIN) | EXAMPLES.get(name, {})
        for version in versions:
            rows += [(name, gang, GANGS[gang], version) for gang in GANGS]
            rows += [(name, style, gang.but(style=style), version) for style, gang in styles.items()]
    return rows


def file_of(integration: str, name: str, kubernetes: str) -> Path:
    version = f"-{kubernetes}" if adapter(integration).component == "kubernetes" else ""
    return GOLDEN / f"{integration}{version}-{name}.yaml"


@pytest.mark.parametrize(
    ("integration", "name", "gang", "kubernetes"),
    everything(),
    ids=lambda value: value if isinstance(value, str) else "-",
)
def test_gang_is_rendered_as_before(integration: str, name: str, gang: Gang, kubernetes: str) -> None:
    text = gang_yaml(adapter(integration), gang, "default", kubernetes)
    path = file_of(integration, name, kubernetes)
    if os.environ.get("MUSTER_UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()


def test_no_golden_file_is_left_over() -> None:
    assert {path.name for path in GOLDEN.glob("*.yaml")} == {
        file_of(integration, name, kubernetes).name for integration, name, _, kubernetes in everything()
    }


@pytest.mark.parametrize(("integration", "name", "gang", "kubernetes"), everything())
def test_members_are_recognised_and_ask_for_what_the_gang_says(
    integration: str, name: str, gang: Gang, kubernetes: str
) -> None:
    scheduler = adapter(integration)
    objects = gang_objects(scheduler, gang, "default", kubernetes)
    pods = [obj for obj in objects if obj["kind"] == "Pod"]
    groups = [obj for obj in objects if obj["kind"] != "Pod"]
    kinds = {(kind.api_version, kind.kind) for kind in scheduler.groups(kubernetes)}
    assert all((obj["apiVersion"], obj["kind"]) in kinds for obj in groups)
    assert all(scheduler.read_group(obj) == (gang.name, gang.minimum) for obj in groups)
    if name in ("vcjob", "job"):
        return  # a controller makes the pods
    assert [pod["metadata"]["name"] for pod in pods] == [member for member, _ in gang.members()]
    for pod, (_, role) in zip(pods, gang.members(), strict=True):
        assert scheduler.classify(pod) == (gang.name, "member", role.name if gang.roles else "")
        assert pod["spec"]["schedulerName"] == scheduler.scheduler
        resources = pod["spec"]["containers"][0]["resources"]
        assert resources["requests"] == resources["limits"] == role.request
        assert resources["requests"].get(GPU, "0") == str(role.gpus)


@pytest.mark.parametrize("integration", SCHEDULERS)
def test_unknown_style_is_refused(integration: str) -> None:
    with pytest.raises(UsageError, match="unknown style 'baroque'"):
        gang_yaml(adapter(integration), PLAIN.but(style="baroque"), "default", default_minor())


def test_kai_has_no_sub_group_for_a_role_that_may_be_missing() -> None:
    roles = (Role("giant", 1, quorum=0, gpus=8), Role("worker", 3, gpus=2))
    kai = adapter("kai")

    optional, *pods = gang_objects(kai, Gang("lopsided", roles=roles), "default", "1.37")
    needed, *_ = gang_objects(kai, Gang("lopsided", roles=(Role("leader", 1), Role("worker", 3))), "default", "1.37")

    assert optional["spec"]["minMember"] == 3 and "subGroups" not in optional["spec"]
    assert not any("kai.scheduler/subgroup-name" in pod["metadata"]["labels"] for pod in pods)
    assert [group["minMember"] for group in needed["spec"]["subGroups"]] == [1, 3]
