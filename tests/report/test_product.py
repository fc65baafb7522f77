"""The programme's PRODUCT.yaml: one entry is filled in, everything else stays to the letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.core.errors import UsageError
from harness.report.product import METADATA, filled, problems

TEMPLATE = """\
# A checklist with comments, which must stay.
metadata:
  kubernetesVersion: v1.37
  platformName: "[Platform Name]"

spec:
  networking:
    - id: ai_inference
      description: "Something else: with a colon."
      level: MUST
      status: ""   # yours
      evidence: []
      notes: ""
  schedulingOrchestration:
    - id: gang_scheduling
      description: "All or nothing."
      level: MUST
      status: ""
      evidence: []
      notes: ""
    - id: pod_autoscaling
      description: x
      level: SHOULD
      status: ""
      evidence: []
      notes: ""
"""
ENTRY = {"status": "Implemented", "evidence": ["e2e.log", "junit.xml"], "notes": 'two lines:\n"quoted" – ü'}
STYLES = {
    "flow": '      status: ""\n      evidence: []\n      notes: ""\n',
    "block": "      notes: |\n        old\n        text\n      evidence:\n        - old.log\n      status: N/A\n",
    "last": "      status: ''\n      notes: >-\n        old\n      evidence:\n        - old.log\n",
}


def written(folder: Path, text: str) -> Path:
    path = folder / "PRODUCT.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("style", STYLES)
def test_only_the_values_of_the_entry_change(tmp_path: Path, style: str) -> None:
    head, _, rest = TEMPLATE.partition('All or nothing."\n      level: MUST\n')
    tail = rest.partition("    - id: pod_autoscaling")[2]
    text = head + 'All or nothing."\n      level: MUST\n' + STYLES[style] + "    - id: pod_autoscaling" + tail

    result = filled(written(tmp_path, text), ENTRY)

    assert result.startswith(head) and result.endswith("    - id: pod_autoscaling" + tail)
    assert '["e2e.log", "junit.xml"]' in result
    assert "old" not in result


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spec: []", "has no entry"),
        ("a: 1", "has no entry"),
        ("{", "cannot be read"),
        (TEMPLATE.replace("gang_scheduling", "gangs"), "has no entry"),
        (TEMPLATE.replace("pod_autoscaling", "gang_scheduling"), "2 entries"),
        (TEMPLATE.replace('      notes: ""\n    - id: pod', "    - id: pod"), "has no notes"),
    ],
)
def test_file_that_is_no_checklist_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        filled(written(tmp_path, text), ENTRY)

    assert message in caught.value.message


def test_what_the_validator_would_refuse_is_listed(tmp_path: Path) -> None:
    path = written(tmp_path, TEMPLATE)
    path.write_text(filled(path, ENTRY))
    (tmp_path / "e2e.log").write_text("")

    listed = problems(path)

    assert "metadata.platformName still has the placeholder [Platform Name]" in listed
    assert "metadata.vendorName is missing" in listed
    assert not any("repoUrl" in problem for problem in listed)
    assert "ai_inference: the status '' is none of" in " ".join(listed)
    assert [problem for problem in listed if "gang_scheduling" in problem] == [
        "gang_scheduling: the evidence junit.xml is not there"
    ]
    assert len(METADATA) == 11


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("k8sConformanceUrl", "https://github.com/cncf/k8s-conformance/pull/7", "is no product of k8s-conformance"),
        ("k8sConformanceUrl", "https://github.com/cncf/k8s-conformance/tree/master/v1.37/mine", ""),
        ("k8s_conformance_url", "https://github.com/cncf/k8s-conformance/tree/main/v1.37/mine/", ""),
        ("productLogoUrl", "https://example.com/logo.png", "is none of .svg, .eps, .ai"),
        ("productLogoUrl", "https://example.com/LOGO.SVG", ""),
        ("vendor_name", "Mine", ""),
        ("vendorName", 7, "is no text"),
    ],
)
def test_metadata_is_held_to_the_rules_of_the_validator(tmp_path: Path, name: str, value: object, problem: str) -> None:
    path = written(tmp_path, TEMPLATE.replace("metadata:\n", f"metadata:\n  {name}: {value}\n"))

    listed = [text for text in problems(path) if text.startswith(f"metadata.{camel(name)} ")]

    assert [problem in text for text in listed] == ([True] if problem else [])


def camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)
