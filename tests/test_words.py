"""Names say a type or a role: no variable, parameter, function, class or attribute has one of the words below.

A list of pods is `pods` and not `found`; an item of it is `pod` and not `one`. Neither `_wanted` nor `GIVEN` is a name.
In a compound the word counts where it stands for the noun: `last_seen` and `values_given` say no type, `one_member` and
`own_nodes` do. The names of functions are phrases with a verb, and so are those of answers, such as `is_known`: of them
only whole names count. A case is checked by whole names too: ci/proof.yaml holds a digest of its code. The glossary in
docs/reference has the words to use.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
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
NOUNS = {"words"}  # says too little alone; in a compound it is the type
ANSWERS = {"is", "was", "has", "should"}  # what begins with them is true or false
LINKS = {"of", "by", "for", "until"}  # the noun is before them, if there is one


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


def is_forbidden(name: str, *, is_phrase: bool = False) -> bool:
    """Whether a name is a word of the list, or a compound of which such a word is the noun; case does not matter."""
    plain = name.strip("_").lower()
    if plain in FORBIDDEN:
        return True
    parts = plain.split("_")
    if is_phrase or parts[0] in ANSWERS:
        return False
    heads = {parts[-1], *(part for part, following in pairwise(parts) if following in LINKS)}
    return bool(heads & FORBIDDEN - NOUNS)


def phrases(tree: ast.AST) -> set[tuple[str, int]]:
    """The names of functions."""
    return {(node.name, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def violations(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        place, functions = path.relative_to(ROOT), phrases(tree)
        for name, line in defined_names(tree):
            if is_forbidden(name, is_phrase=place.parts[0] == "suites" or (name, line) in functions):
                yield f"{place}:{line}: {name}"


@pytest.mark.parametrize(("folder", "paths"), folders().items())
def test_names_say_a_type_or_a_role(folder: str, paths: list[Path]) -> None:
    names = list(violations(paths))
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


@pytest.mark.parametrize(
    "name", ["one", "_wanted", "GIVEN", "ONE", "last_seen", "values_given", "SIGN_OF_LIFE", "SEEN_BY_VERIFY"]
)
def test_a_name_without_a_noun_is_found(name: str) -> None:
    assert is_forbidden(name)


@pytest.mark.parametrize("name", ["one_member", "own_nodes", "is_known", "KEPT_FAILURES", "group_words", "_pods"])
def test_a_compound_with_a_noun_is_a_name(name: str) -> None:
    assert not is_forbidden(name)


def test_the_name_of_a_function_is_a_phrase() -> None:
    assert not is_forbidden("all_but_one", is_phrase=True)
    assert is_forbidden("_seen", is_phrase=True)
