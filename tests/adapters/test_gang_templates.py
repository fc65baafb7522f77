"""Every gang template, by golden files: what a user would apply with kubectl, word for word.

After a change that is meant: MUSTER_UPDATE_GOLDEN=1 pytest tests/adapters, then read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.adapters import adapter
from harness.adapters.render import gang_objects, gang_yaml
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
STYLES = {
    "volcano": {"vcjob": GANGS["roles"].but(name="vcjob", priority="high", queue="team", lifetime=3)},
    "coscheduling": {"min-resources": PLAIN},
    "yunikorn": {"soft": PLAIN.but(timeout=30)},
    "koordinator": {
        "annotations": PLAIN.but(timeout=30),
        "nonstrict": PLAIN,
        "annotations+nonstrict+only-waiting": PLAIN.but(group=("other", "elsewhere/third")),
        "waiting-and-running": PLAIN.but(group=("other",)),
    },
}
PLAIN_POD = {"volcano", "coscheduling", "koordinator", "yunikorn", "workload"}


def everything() -> list[tuple[str, str, Gang, str]]:
    found = [
        ("workload", name, gang, minor) for minor in ("1.35.4", "1.36.4", "1.37.1") for name, gang in GANGS.items()
    ]
    for integration, styles in STYLES.items():
        found += [(integration, name, gang, "1.37.1") for name, gang in GANGS.items()]
        found += [(integration, style, gang.but(style=style), "1.37.1") for style, gang in styles.items()]
    return found


def file_of(integration: str, name: str, kubernetes: str) -> Path:
    version = f"-{kubernetes.rpartition('.')[0]}" if integration == "workload" else ""
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
    chosen = adapter(integration)
    objects = gang_objects(chosen, gang, "default", kubernetes)
    pods = [obj for obj in objects if obj["kind"] == "Pod"]
    groups = [obj for obj in objects if obj["kind"] != "Pod"]
    assert all((obj["apiVersion"], obj["kind"]) in chosen.groups(kubernetes) for obj in groups)
    assert all(chosen.read_group(obj) == (gang.name, gang.minimum) for obj in groups)
    if name == "vcjob":
        return  # Volcano's controller makes the pods
    assert [pod["metadata"]["name"] for pod in pods] == [member for member, _ in gang.members()]
    for pod, (_, role) in zip(pods, gang.members(), strict=True):
        assert chosen.classify(pod) == (gang.name, "member", role.name if gang.roles else "")
        assert pod["spec"]["schedulerName"] == chosen.scheduler
        resources = pod["spec"]["containers"][0]["resources"]
        assert resources["requests"] == resources["limits"] == role.request
        assert resources["requests"].get(GPU, "0") == str(role.gpus)


@pytest.mark.parametrize("integration", sorted(STYLES))
def test_unknown_style_is_refused(integration: str) -> None:
    with pytest.raises(UsageError, match="unknown style 'baroque'"):
        gang_yaml(adapter(integration), PLAIN.but(style="baroque"), "default", "1.37.1")
