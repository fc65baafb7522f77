"""What can be wrong with a cluster that somebody names: one message each, and nothing is created."""

from __future__ import annotations

import base64
import datetime
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness import EmbeddedBox
from harness.box import pki
from harness.box.existing import removal
from tests.existing.somebody import cases, muster

CASE = cases("gang-that-fits-is-bound-whole")
Change = Callable[[dict[str, Any]], None]


@pytest.fixture(autouse=True)
def nothing_is_created(somebody: EmbeddedBox, tmp_path: Path) -> Iterator[None]:
    yield
    assert not (tmp_path / "runs").exists()
    assert removal.leftovers(somebody.api) == []


def refused(box: EmbeddedBox, folder: Path, kubeconfig: Path, *options: str, context: str = "") -> tuple[int, str]:
    """Run a case there; the exit code and the one message."""
    arguments = ("run", *CASE, *options, "--output", str(folder / "runs"))
    done = muster(*arguments, kubeconfig=kubeconfig, context=context or box.name)
    assert "Traceback" not in done.stderr
    assert done.stderr.count("error") == 1, done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "there is no terminal to ask"),
        (
            ("--yes", "--integration", "coscheduling"),
            "is not installed in this cluster: no PodGroup of scheduling.x-k8s",
        ),
        (("--yes", "--integration", "yunikorn"), "is not installed in this cluster: no image like yunikorn"),
        (("--yes", "--integration", "volcano@1.14.1", "--set", "actions=allocate"), "is judged as it is installed"),
        (("--yes", "--kubernetes", "1.37"), "cannot choose the version of an existing cluster"),
        (("--yes", "--keep", "failed"), "nothing of a run stays in an existing cluster"),
        (("--yes", "--pause-image", "x"), "Give --nodes-selector too"),
        (("--yes", "--disrupt", "shceduler"), "Did you mean 'scheduler'?"),
        (("--yes", "--audit-log", "/no/such/log"), "there is no file /no/such/log"),
    ],
)
def test_wrong_options(somebody: EmbeddedBox, tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    code, text = refused(somebody, tmp_path, somebody.kubeconfig, *options)

    assert code == 4, text
    assert message in text


def test_context_that_does_not_exist(somebody: EmbeddedBox, tmp_path: Path) -> None:
    code, text = refused(somebody, tmp_path, somebody.kubeconfig, "--yes", context="production")

    assert code == 4
    assert "has no context 'production'" in text and f"Contexts in {somebody.kubeconfig}: {somebody.name}" in text


@pytest.mark.parametrize("content", [None, "{", "- no\n- kubeconfig\n"])
def test_kubeconfig_that_is_missing_or_broken(somebody: EmbeddedBox, tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "config"
    if content is not None:
        path.write_text(content)

    code, text = refused(somebody, tmp_path, path, "--yes")

    assert code == 4
    assert str(path) in text


def points_nowhere(config: dict[str, Any]) -> None:
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:9"


def has_another_authority(config: dict[str, Any]) -> None:
    authority = base64.b64encode(pki.Authority.create().certificate).decode()
    config["clusters"][0]["cluster"]["certificate-authority-data"] = authority


def has_a_bad_token(config: dict[str, Any]) -> None:
    config["users"][0]["user"] = {"token": "expired"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (points_nowhere, "cannot be reached"),
        (has_another_authority, "cannot be reached"),
        (has_a_bad_token, "does not accept the credentials"),
    ],
)
def test_cluster_that_does_not_let_us_in(somebody: EmbeddedBox, tmp_path: Path, change: Change, message: str) -> None:
    code, text = refused(somebody, tmp_path, changed(somebody, tmp_path, change), "--yes")

    assert code == 3
    assert message in text and "kubectl --kubeconfig" in text


def test_certificate_that_has_expired(somebody: EmbeddedBox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pki, "LIFETIME", datetime.timedelta(seconds=-1))
    pair = somebody.authority.issue("late", ("system:masters",))

    def expire(config: dict[str, Any]) -> None:
        config["users"][0]["user"] = {
            "client-certificate-data": base64.b64encode(pair.certificate).decode(),
            "client-key-data": base64.b64encode(pair.key).decode(),
        }

    code, text = refused(somebody, tmp_path, changed(somebody, tmp_path, expire), "--yes")

    assert code == 4
    assert "expired on" in text and "Log in to the cluster again" in text


def changed(box: EmbeddedBox, folder: Path, change: Change) -> Path:
    """A copy of the box's kubeconfig with one thing wrong in it."""
    content = yaml.safe_load(box.kubeconfig.read_text())
    change(content)
    path = folder / "config"
    path.write_text(yaml.safe_dump(content))
    return path
