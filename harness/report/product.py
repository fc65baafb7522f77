"""The programme's own PRODUCT.yaml with the gang entry filled in, and not one other character changed.

A submission starts from the checklist of its Kubernetes version, whose ids, descriptions and levels must stay as they
are. So the file that the user gives is edited in place: the values of `status`, `evidence` and `notes` of one entry are
replaced in the text, and the result is read again to see that nothing else is different.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from harness.core.errors import HarnessError, UsageError
from harness.core.untrusted import read_yaml

ENTRY = "gang_scheduling"
IMPLEMENTED = "Implemented"
STATUSES = (IMPLEMENTED, "Not Implemented", "Partially Implemented", "N/A")
METADATA = (  # what the programme's validator asks for
    "kubernetesVersion",
    "platformName",
    "platformVersion",
    "vendorName",
    "websiteUrl",
    "repoUrl",
    "documentationUrl",
    "productLogoUrl",
    "description",
    "contactEmailAddress",
    "k8sConformanceUrl",
)
OPTIONAL = frozenset({"repoUrl"})
CONFORMANCE = re.compile(r"https://github\.com/cncf/k8s-conformance/tree/(master|main)/v\d+\.\d+/[^/]+/?")
LOGOS = (".svg", ".eps", ".ai")
FILLED = ("status", "evidence", "notes")


def filled(template: Path, entry: Mapping[str, Any]) -> str:
    """The text of the template with the values of this entry; UsageError if it is no such checklist."""
    before = _read(template)
    text = template.read_text(encoding="utf-8")
    nodes = _values(_entry_node(text, template))
    if absent := [key for key in FILLED if key not in nodes]:
        raise UsageError(f"{template}: the entry {ENTRY} has no {absent[0]}", hint="Take the programme's own file.")
    for key in sorted(FILLED, key=lambda key: -nodes[key].start_mark.index):
        start, end = nodes[key].start_mark.index, nodes[key].end_mark.index
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        text = f"{text[:start]}{json.dumps(entry[key], ensure_ascii=False)}{text[end:]}"
    _see_nothing_else_changed(before, yaml.safe_load(text), entry, template)
    return text


def problems(path: Path) -> list[str]:
    """What the programme's validator would refuse in a PRODUCT.yaml, apart from addresses that it would fetch."""
    data = _read(path)
    return [*_metadata_problems(data.get("metadata")), *_entry_problems(data, path.parent)]


def _metadata_problems(metadata: Any) -> Iterator[str]:
    fields = metadata if isinstance(metadata, Mapping) else {}
    for name in METADATA:
        value = fields.get(name, fields.get(_snake(name)))  # the programme takes both ways to write a name
        if not value:
            if name not in OPTIONAL:
                yield f"metadata.{name} is missing"
        elif not isinstance(value, str):
            yield f"metadata.{name} is no text: {value!r}"
        elif value.startswith("[") and value.endswith("]"):
            yield f"metadata.{name} still has the placeholder {value}"
        elif name == "k8sConformanceUrl" and not CONFORMANCE.fullmatch(value):
            yield f"metadata.{name} is no product of k8s-conformance: {value}"
        elif name == "productLogoUrl" and value.startswith("http") and not value.lower().endswith(LOGOS):
            yield f"metadata.{name} is none of {', '.join(LOGOS)}: {value}"


def _entry_problems(data: Mapping[str, Any], folder: Path) -> Iterator[str]:
    for entry in _entries(data):
        name, status, evidence = entry.get("id"), entry.get("status") or "", entry.get("evidence") or []
        if entry.get("level") == "SHOULD" and not status and not evidence:
            continue
        if status not in STATUSES:
            yield f"{name}: the status {status!r} is none of {', '.join(STATUSES)}"
        elif entry.get("level") == "MUST" and status != IMPLEMENTED:
            yield f"{name}: it is a MUST, and its status is {status!r}"
        if status == "N/A" and not entry.get("notes"):
            yield f"{name}: N/A needs notes"
        for link in filter(None, evidence):
            if not str(link).startswith(("http://", "https://")) and not (folder / str(link)).exists():
                yield f"{name}: the evidence {link} is not there"


def _snake(name: str) -> str:
    """`k8sConformanceUrl` as `k8s_conformance_url`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def _entries(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    categories = data.get("spec") or {}
    return [entry for entries in categories.values() for entry in entries or () if isinstance(entry, Mapping)]


def _read(path: Path) -> Mapping[str, Any]:
    try:
        data = read_yaml(path)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint="Give the PRODUCT.yaml of your submission.") from error
    well_formed = isinstance(data, Mapping) and isinstance(data.get("spec"), Mapping)
    if not well_formed or not any(entry.get("id") == ENTRY for entry in _entries(data)):
        raise UsageError(
            f"{path} has no entry {ENTRY} under spec",
            hint="Start from the checklist of your Kubernetes version in the programme's repository.",
        )
    return cast(Mapping[str, Any], data)


def _entry_node(text: str, path: Path) -> yaml.MappingNode:
    """Where the gang entry is in the text."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert root is not None, "the file was read before"
    spec = _values(root)["spec"]
    nodes = [
        node
        for category in _values(spec).values()
        if isinstance(category, yaml.SequenceNode)
        for node in category.value
        if isinstance(node, yaml.MappingNode) and getattr(_values(node).get("id"), "value", "") == ENTRY
    ]
    if len(nodes) != 1:
        raise UsageError(f"{path} has {len(nodes)} entries {ENTRY}", hint="Keep one.")
    return nodes[0]


def _values(node: yaml.Node) -> dict[str, yaml.Node]:
    assert isinstance(node, yaml.MappingNode), "a mapping, as the file was read before"
    return {key.value: value for key, value in node.value}


def _see_nothing_else_changed(
    before: Mapping[str, Any], after: Mapping[str, Any], entry: Mapping[str, Any], path: Path
) -> None:
    for old, new in zip(_entries(before), _entries(after), strict=True):
        expected = {**old, **{key: entry[key] for key in FILLED}} if old.get("id") == ENTRY else old
        if new != expected:
            raise HarnessError(f"{path}: filling in {ENTRY} would have changed {old.get('id')}")
    if before.get("metadata") != after.get("metadata"):
        raise HarnessError(f"{path}: filling in {ENTRY} would have changed the metadata")
