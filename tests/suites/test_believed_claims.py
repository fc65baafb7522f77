"""Which cases rest on claims that `muster recheck` can only believe, as their code tells."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from harness.cases.declared_promises import promised
from harness.runner.collect import suites_root

# Words of cases whose claims keep the evidence from which they are judged again. Those of `sees` do with a condition.
JUDGED_AGAIN = {
    *("stand", "are_on", "finds", "accepts", "accepts_change", "rejects", "rejects_change"),
    *("is_bound", "stays_pending", "takes_in", "keeps_waiting", "is_being_bound", "is_marked_late", "network_claim"),
    *("has_pods", "is_prepared", "refers_to", "is_complete", "has_groups", "is_replaced", "leader_owns_group"),
    *("is_updated", "all_but_one_run"),
    *("has_waiting", "has_started", "is_held", "stays_held", "stays_waiting", "has_passed"),
}

BELIEVED_ALONE: dict[str, str] = {}
"""Cases of which nothing can be judged again, each with the reason. There are none, and none may come."""

MOST_BELIEVED = 17
"""So many cases may make at least one claim that is believed, besides what is judged again. It may only become less."""


def calls(file: Path) -> Iterator[tuple[str, set[str]]]:
    """The words that a case uses, each with the keywords that it gives."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_storage = ast.unparse(node.func.value) == "world.storage"  # whose `claim` makes a claim of a volume
            yield "" if of_storage else node.func.attr, {keyword.arg or "" for keyword in node.keywords}


def is_believed(word: str, keywords: set[str]) -> bool:
    return word == "claim" or (word == "sees" and keywords <= {"deadline"})


def is_judged_again(word: str, keywords: set[str]) -> bool:
    return word in JUDGED_AGAIN or (word == "sees" and not is_believed(word, keywords))


def files() -> list[Path]:
    return sorted(suites_root().glob("*/test_*.py"))


def case_id(file: Path) -> str:
    return file.stem.removeprefix("test_").replace("_", "-")


def test_hardly_any_case_rests_on_what_is_believed() -> None:
    believed = {
        case_id(file)
        for file in files()
        if not promised(file) and not any(is_judged_again(*call) for call in calls(file))
    }
    assert sorted(believed) == sorted(BELIEVED_ALONE), "let it use world.stand, are_on, finds or sees with a condition"


def test_claims_that_are_believed_become_fewer() -> None:
    believed = {case_id(file) for file in files() if any(is_believed(*call) for call in calls(file))}
    assert len(believed) <= MOST_BELIEVED, "claims are better judged again: world.stand, are_on, finds, sees"
    assert len(believed) == MOST_BELIEVED, "there are fewer now: let nobody add one again"


def test_a_condition_makes_the_difference() -> None:
    assert is_believed("claim", set()) and is_believed("sees", {"deadline"})
    assert is_judged_again("sees", {"count"}) and not is_judged_again("is_bound_whole", set())
