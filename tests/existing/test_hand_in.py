"""From somebody's cluster to the files of a CNCF AI conformance submission."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
import yaml

from harness import EmbeddedBox
from harness.report.product import METADATA
from tests.existing.somebody import cases, muster

URLS = {
    "k8sConformanceUrl": "https://github.com/cncf/k8s-conformance/tree/master/v1.37/example",
    "productLogoUrl": "https://example.com/logo.svg",
}
PRODUCT = {
    "metadata": {name: URLS.get(name, "https://example.com") for name in METADATA},
    "spec": {
        "schedulingOrchestration": [
            {
                "id": "gang_scheduling",
                "description": "As the checklist of the programme words it, which stays as it is.",
                "level": "MUST",
                "status": "",
                "evidence": [],
                "notes": "",
            }
        ]
    },
}


def report_cncf(run: Path, template: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harness", "report", "cncf", str(run), "--template", str(template)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "PRODUCT.yaml"
    path.write_text("# kept\n" + yaml.safe_dump(PRODUCT, sort_keys=False))
    return path


def test_run_of_a_cluster_can_be_handed_in(somebody: EmbeddedBox, template: Path, tmp_path: Path) -> None:
    options = ("--profile", "KAR-0053", "--yes", "--output", str(tmp_path / "runs"))
    done = muster("run", *options, kubeconfig=somebody.kubeconfig, context=somebody.name)
    assert done.returncode == 0, done.stdout + done.stderr

    run = tmp_path / "runs" / "latest"
    done = report_cncf(run, template)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "still to fill in" not in done.stdout
    product = yaml.safe_load((run / "cncf" / "PRODUCT.yaml").read_text())
    (entry,) = product["spec"]["schedulingOrchestration"]
    (former,) = PRODUCT["spec"]["schedulingOrchestration"]  # type: ignore[misc]
    assert product["metadata"] == PRODUCT["metadata"]
    assert {key: entry[key] for key in ("id", "description", "level")} == {
        key: former[key] for key in ("id", "description", "level")
    }
    assert entry["status"] == "Implemented"
    assert all((run / "cncf" / link).is_file() for link in entry["evidence"]) and entry["evidence"]
    assert "(existing box)" in entry["notes"] and "No audit log was there" in entry["notes"]
    tests = {case.get("name"): case for case in Xml.parse(run / "cncf" / "junit.xml").getroot().iter("testcase")}
    parts = ["TestGangScheduling/PositiveGangScheduling", "TestGangScheduling/NegativeGangScheduling"]
    assert {"TestGangScheduling", *parts, "job-that-fits-runs"} <= set(tests)
    assert not any(case.find(kind) is not None for case in tests.values() for kind in ("failure", "error", "skipped"))
    log = (run / "cncf" / "e2e.log").read_text()
    assert all(f"--- PASS: {part} " in log for part in parts) and log.endswith("\nPASS\n")
    readme = (run / "cncf" / "README.md").read_text()
    assert f"muster run --integration workload --kubeconfig {somebody.kubeconfig}" in readme


@pytest.mark.thorough
def test_run_that_shows_half_of_it_is_no_must(somebody: EmbeddedBox, template: Path, tmp_path: Path) -> None:
    options = (*cases("job-that-fits-runs"), "--yes", "--output", str(tmp_path / "runs"))
    done = muster("run", *options, kubeconfig=somebody.kubeconfig, context=somebody.name)
    assert done.returncode == 0, done.stdout + done.stderr

    done = report_cncf(tmp_path / "runs" / "latest", template)

    assert done.returncode == 1
    assert "not shown: no case shows a gang that was refused" in done.stderr
    assert "it is a MUST, and its status is 'Partially Implemented'" in done.stdout
    log = (tmp_path / "runs" / "latest" / "cncf" / "e2e.log").read_text()
    assert "--- SKIP: TestGangScheduling/NegativeGangScheduling" in log
