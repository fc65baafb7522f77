"""Which promises a case makes, read from its code.

A history that passes because its promises were taken out proves nothing. So the declaration of a case has the kinds of
promises that its code makes, and `muster report check` and `verify` compare a passing history with them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

KINDS = {  # method of a submitted gang or of `world.gangs` -> kind of promise
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


def promise_of(call: ast.Call) -> str:
    """The kind of promise that a call makes; empty if it makes none."""
    if not isinstance(call.func, ast.Attribute):
        return ""
    method, receiver = call.func.attr, call.func.value
    about_pods = method == "stays_pending" and isinstance(receiver, ast.Name) and receiver.id == "world"
    about_members = method == "is_gone" and bool(call.args)
    return "" if about_pods or about_members else KINDS.get(method, "")  # those two are claims


def _kinds(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (kind := promise_of(node)):
            yield kind
