"""`muster controller`: bad input gets one message and exit code 4; manifests are complete."""

from __future__ import annotations

import base64
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness.controllers.registry import CONTROLLERS, LWS_PROVIDERS, lws_provider

CA = "admissionregistration.k8s.io/v1"


def muster(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harness", "controller", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PATH": "/usr/bin:/bin", **environment},
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["jobset-gag"], "Did you mean 'jobset-gang'?"),
        (["jobset-gang", "--provider", "yunikorn"], "--provider is for lws-provider"),
        (["lws-provider", "--gangs", "off", "--provider", "yunikorn"], "--gangs is for jobset-gang"),
        (["lws-provider"], "Give --provider coscheduling or yunikorn"),
        (["lws-provider", "--provider", "volcano"], "unknown provider 'volcano'"),
        (["jobset-gang", "--webhook-port", "9443"], "webhooks are served over TLS only"),
        (["jobset-gang", "--webhook-port", "0"], "is not in the range"),
        (["jobset-gang", "--tls-cert", __file__], "Give --webhook-port too"),
        (["jobset-gang", "--kubeconfig", "/nowhere"], "does not exist"),
        (["jobset-gang", "--kubeconfig", __file__], "Is it a kubeconfig file?"),
        (["jobset-gang", "--gangs", "maybe"], "'maybe' is not one of 'on', 'off'"),
        (["jobset-gang"], "Give the path of a kubeconfig file with --kubeconfig"),
    ],
)
def test_bad_input(arguments: list[str], message: str) -> None:
    done = muster(*arguments)

    assert done.returncode == 4
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_empty_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("")
    done = muster("jobset-gang", "--kubeconfig", str(tmp_path / "config"))

    assert done.returncode == 4
    assert "Traceback" not in done.stderr


def test_manifests_are_complete() -> None:
    done = muster("jobset-gang", "--manifests", "--namespace", "here", "--image", "some/muster:1")
    objects = list(yaml.safe_load_all(done.stdout))

    kinds = [obj["kind"] for obj in objects]
    assert kinds == [
        "Namespace",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
        "Secret",
        "Deployment",
        "Service",
        "ValidatingWebhookConfiguration",
        "MutatingWebhookConfiguration",
    ]
    assert all(obj["metadata"].get("namespace", "here") == "here" for obj in objects)
    (container,) = objects[5]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "some/muster:1"
    secret = base64.b64decode(objects[4]["data"]["tls.crt"])
    assert b"BEGIN CERTIFICATE" in secret
    for obj in objects[7:]:
        assert obj["apiVersion"] == CA
        assert obj["webhooks"][0]["clientConfig"]["service"]["namespace"] == "here"


def test_help_says_that_one_runs_at_a_time() -> None:
    done = muster("--help")

    assert done.returncode == 0
    assert "One instance at a time" in done.stdout
    assert "muster controller jobset-gang --health-port" in done.stdout


def test_every_name_in_the_registry_leads_to_code() -> None:
    assert all(callable(reference.load()) for reference in CONTROLLERS.values())
    assert all(callable(lws_provider(scheduler)) for scheduler in LWS_PROVIDERS)
