"""Is this file a report, and does it follow from itself?

A published report may have been edited by hand. The schema finds what is malformed; counting the cases again finds a
profile that claims more than its cases carry. Whether the cases follow from the histories is `muster recheck`'s work;
here the digests are compared where the histories lie beside the report.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import yaml
import zstandard

from harness.core.errors import UsageError
from harness.core.verdict import Outcome
from harness.report.conformance import API_VERSION, KIND
from harness.report.model import LEVELS, level_result

_KEYS = {"pass": "passed", "violated": "violated", "unknown": "unknown", "not-supported": "notSupported"}


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of report.yaml."""
    source = resources.files("harness.report").joinpath("schema/report.schema.json").read_text(encoding="utf-8")
    return dict(json.loads(source))


def load_report(path: Path) -> dict[str, Any]:
    """The report in the file; UsageError if it is not a report this muster can read."""
    path = path / "report.yaml" if path.is_dir() else path
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except OSError as error:
        what = f"cannot read {path}: {error.strerror or error}"
        raise UsageError(what, hint="give a report.yaml or its folder") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not YAML: {error}") from error
    if not isinstance(data, dict) or data.get("kind") != KIND:
        given = data.get("kind") if isinstance(data, dict) else type(data).__name__
        raise UsageError(f"{path} is not a {KIND} (kind is {given!r})", hint="muster writes it as report.yaml")
    if data.get("apiVersion") != API_VERSION:
        raise UsageError(
            f"{path} has apiVersion {data.get('apiVersion')!r}; this muster supports {API_VERSION}",
            hint="use the muster version that wrote it, named in the file as musterVersion",
        )
    return data


def problems(data: Mapping[str, Any], folder: Path | None = None) -> list[str]:
    """Everything wrong with the report, each as `path: what`; empty if it is sound."""
    validator = jsonschema.Draft202012Validator(schema())
    found = sorted(validator.iter_errors(data), key=lambda e: ([str(p) for p in e.absolute_path], e.message))
    if found:
        return [f"{_where(error.absolute_path)}: {_short(error.message)}" for error in found]
    listed = [problem for i, one in enumerate(data["implementations"]) for problem in _consistent(i, one, data["run"])]
    return listed + (list(_digests(data, folder)) if folder else [])


def check(path: Path) -> list[str]:
    """Load and judge a report file; histories beside it are compared by digest."""
    return problems(load_report(path), path if path.is_dir() else path.parent)


def _consistent(index: int, one: Mapping[str, Any], run: Mapping[str, Any]) -> Iterator[str]:
    place = f"implementations[{index}]"
    names = [case["case"] for case in one["cases"]]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{place}.cases: {name!r} is there more than once"
    claimed = {profile["name"]: profile for profile in one["profiles"]}
    for name in sorted({case["profile"] for case in one["cases"]} - set(claimed)):
        yield f"{place}.profiles: {name!r} has cases but no entry"
    for j, profile in enumerate(one["profiles"]):
        for level in LEVELS:
            where = f"{place}.profiles[{j}].{level}"
            own = [c for c in one["cases"] if c["profile"] == profile["name"] and c["level"] == level]
            entry = profile.get(level)
            if entry is None:
                if own:
                    yield f"{where}: missing, though the report has {len(own)} such cases"
                continue
            for outcome, key in _KEYS.items():
                is_so = sum(case["outcome"] == outcome for case in own)
                if entry["statistics"][key] != is_so:
                    yield f"{where}.statistics.{key}: says {entry['statistics'][key]}, the cases say {is_so}"
            should = level_result(level, (Outcome(c["outcome"]) for c in own), cut=not run["complete"])
            if entry["result"] != should:
                yield f"{where}.result: says {entry['result']}, the cases say {should}"


def _digests(data: Mapping[str, Any], folder: Path) -> Iterator[str]:
    for i, one in enumerate(data["implementations"]):
        for j, case in enumerate(one["cases"]):
            path = folder / case.get("history", "")
            if not case.get("history") or not case.get("digest") or not path.is_file():
                continue
            try:
                seen = digest_of(path)
            except (zstandard.ZstdError, OSError) as error:
                yield f"implementations[{i}].cases[{j}].history: {case['history']} cannot be read: {error}"
                continue
            if seen != case["digest"]:
                yield f"implementations[{i}].cases[{j}].digest: {case['history']} has {seen}, the report says otherwise"


def digest_of(path: Path) -> str:
    """The digest a stored history's own lines have, whatever its footer claims."""
    with path.open("rb") as file:
        data = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()
    lines = data.splitlines(keepends=True)
    body = lines[:-1] if lines and b'"end":true' in lines[-1] else lines
    return "sha256:" + hashlib.sha256(b"".join(body)).hexdigest()


def _where(path: Any) -> str:
    words = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return words.lstrip(".") or "report"


def _short(message: str) -> str:
    return message if len(message) <= 300 else message[:297] + "..."


class _Loader(yaml.SafeLoader):
    """SafeLoader that leaves dates as text, as the schema wants them."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in found if tag != "tag:yaml.org,2002:timestamp"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
