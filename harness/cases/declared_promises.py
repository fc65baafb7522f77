"""Which promises a case makes, read from its code.

A history that passes because its promises were taken out proves nothing. So the declaration of a case has the kinds of
promises that its code makes, and `muster report check` and `verify` compare a passing history with them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

KINDS = {  # method of a submitted gang or of the world -> kind of promise
    "is_bound_whole": "bound",
    "reaches_quorum": "bound",
    "all_start": "bound",
    "one_of": "one-of",
    "is_refused": "refused",
    "stays_pending": "unbound",
    "must_stay_unbound": "unbound",
    "is_released": "released",
    "is_gone": "gone",
    "must_stay_untouched": "untouched",
    "start_in_order": "order",
}


def promised(file: Path) -> tuple[str, ...]:
    """The kinds of promises that a case in this file makes if it runs to its end."""
    return tuple(sorted(set(_kinds(ast.parse(file.read_text(encoding="utf-8"))))))


def _kinds(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        method, receiver = node.func.attr, node.func.value
        about_pods = method == "stays_pending" and isinstance(receiver, ast.Name) and receiver.id == "world"
        about_members = method == "is_gone" and bool(node.args)
        if method in KINDS and not about_pods and not about_members:  # those two are claims
            yield KINDS[method]
