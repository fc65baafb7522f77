"""Read files that others made, within bounds.

Vendors publish reports and histories, and others build pages from them. A small file must not keep muster busy for
minutes or fill the memory: YAML aliases that multiply, values nested thousands deep, numbers that no cluster has. Real
files are far below these limits. Whatever exceeds one is a UsageError that names the limit.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

import yaml

from harness.core.errors import UsageError

MOST_BYTES = 32 << 20  # of results: a run of all cases on ten integrations has about 20 MB
MOST_YAML_BYTES = 16 << 20  # of a report: that run has 5 MB
MOST_VALUES = 2_000_000  # in one file of JSON, by its commas and brackets: a value needs about 100 bytes of memory
MOST_YAML_VALUES = 400_000  # YAML needs ten times the time and memory of JSON
MOST_DEPTH = 40  # a report is 8 deep, a history with a stored object about 15
MOST = 10**21  # larger than any amount that Kubernetes can state, in thousandths
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"')
_OPEN, _CLOSE = b"[{", b"]}"


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a file that is not larger than `most`."""
    size = path.stat().st_size
    if size > most:
        raise UsageError(f"{path} has {size} bytes", hint=f"muster reads up to {most} bytes of such a file.")
    return path.read_bytes()


def read_json(path: Path) -> Any:
    """The JSON in the file; ValueError if it is none."""
    return parse_json(read_bytes(path), str(path))


def parse_json(content: bytes, name: str) -> Any:
    """JSON that came from the file of this name; ValueError if it is none."""
    if values(content) > MOST_VALUES:
        raise _too_many(name, MOST_VALUES)
    check_depth(content, name)
    data = json.loads(content)
    _check_values(data, name)
    return data


def read_yaml(path: Path) -> Any:
    """The YAML in the file, with dates as text; yaml.YAMLError if it is none."""
    content = read_bytes(path, MOST_YAML_BYTES).decode("utf-8")
    depth = 0
    for number, event in enumerate(yaml.parse(content, Loader=_Loader)):
        if number > MOST_YAML_VALUES:
            raise _too_many(str(path), MOST_YAML_VALUES)
        if isinstance(event, yaml.AliasEvent):
            raise UsageError(
                f"{path} has the alias *{event.anchor}", hint="Write the value out; muster writes no aliases."
            )
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            raise _too_deep(str(path))
    data = yaml.load(content, Loader=_Loader)
    _check_values(data, str(path))
    return data


def values(content: bytes) -> int:
    """How many values JSON has at most; cheap, so that it can be asked before anything is read."""
    return sum(content.count(sign) for sign in (b",", b"[", b"{"))


def check_depth(content: bytes, name: str) -> None:
    """UsageError if JSON is nested too deep; cheap for what is not."""
    if content.count(b"[") + content.count(b"{") <= MOST_DEPTH:
        return
    depth = 0
    for byte in re.sub(rb"[^\[\]{}]+", b"", _STRINGS.sub(b"", content)):
        depth += (byte in _OPEN) - (byte in _CLOSE)
        if depth > MOST_DEPTH:
            raise _too_deep(name)


def _check_values(data: Any, name: str) -> None:
    for value in _leaves(data):
        if isinstance(value, float) and not isfinite(value):
            raise UsageError(
                f"{name} has the number {value}, which is not a number", hint="Use the file that muster wrote."
            )
        if isinstance(value, int | float) and abs(value) >= MOST:
            raise UsageError(f"{name} has a number above 10^21", hint="Use the file that muster wrote.")


def _leaves(data: Any) -> Iterator[Any]:
    if isinstance(data, dict):
        for value in data.values():
            yield from _leaves(value)
    elif isinstance(data, list):
        for value in data:
            yield from _leaves(value)
    else:
        yield data


def _too_many(name: str, most: int) -> UsageError:
    return UsageError(f"{name} has more than {most} values", hint="Use the file that muster wrote.")


def _too_deep(name: str) -> UsageError:
    return UsageError(f"{name} is nested deeper than {MOST_DEPTH} levels", hint="Use the file that muster wrote.")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """SafeLoader that leaves dates as text and refuses a key that is given twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if len(keys) != len(set(keys)):
            twice = Counter(keys).most_common(1)[0][0]
            raise yaml.constructor.ConstructorError(None, None, f"the key {twice!r} is given twice", node.start_mark)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, form) for tag, form in resolvers if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:merge")
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
