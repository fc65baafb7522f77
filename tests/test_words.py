"""Names say a type or a role: no variable, parameter, function, class or attribute has one of the words below.

A list of pods is `pods` and not `found`; an item of it is `pod` and not `one`. The glossary in docs/reference has the
words to use.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PRONOUNS = {
    "one",
    "found",
    "said",
    "wanted",
    "given",
    "chosen",
    "made",
    "seen",
    "known",
    "own",
    "told",
    "kept",
    "words",
}
METAPHORS = {"say", "sin", "sins", "sinner", "honest", "lab", "life", "lives"}
FORBIDDEN = PRONOUNS | METAPHORS


def folders() -> dict[str, list[Path]]:
    by_folder: dict[str, list[Path]] = {}
    for room in ("harness", "suites", "tests"):
        for path in sorted((ROOT / room).rglob("*.py")):
            by_folder.setdefault(path.parent.relative_to(ROOT).as_posix(), []).append(path)
    return by_folder


def defined_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every name that the code defines, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.alias(asname=str(name)):
                yield name, node.lineno
            case ast.ExceptHandler(name=str(name)):
                yield name, node.lineno


def violations(paths: list[Path]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in paths
        for name, line in defined_names(ast.parse(path.read_text(encoding="utf-8")))
        if name in FORBIDDEN
    ]


@pytest.mark.parametrize(("folder", "paths"), folders().items())
def test_names_say_a_type_or_a_role(folder: str, paths: list[Path]) -> None:
    names = violations(paths)
    assert not names, f"{len(names)} names to change in {folder}:\n" + "\n".join(names)


def test_the_scan_sees_every_way_to_define_a_name() -> None:
    source = """
import os as one
def found(said, *wanted, **given): ...
class made: ...
seen: int = 1
[known for known in ()]
self.own = 2
(words := 3)
for told in (): ...
try: ...
except OSError as kept: ...
"""
    names = Counter(name for name, _ in defined_names(ast.parse(source)))
    defined = ["one", "found", "said", "wanted", "given", "made", "seen", "known", "own", "words", "told", "kept"]
    assert {name: names[name] for name in FORBIDDEN & set(names)} == dict.fromkeys(defined, 1)
