"""Which cases failed last, so that they can be run again: a small file beside the folders of the runs.

It holds the newest outcome only, case by case: a case that passes leaves it, one that did not run keeps its place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from harness.core.files import as_json, put
from harness.core.results import CaseResult

FILE = ".last-failed.json"


def failed(output: Path, integrations: Iterable[str]) -> tuple[str, ...]:
    """Ids of the cases whose newest outcome on any of these integrations was violated or unknown."""
    names = list(integrations)
    cases = [case for integration, ids in _read(output).items() if _is_named(integration, names) for case in ids]
    return tuple(dict.fromkeys(cases))


def remember(output: Path, results: Sequence[CaseResult]) -> None:
    """Put the outcomes of a run into the file."""
    memory = _read(output)
    for result in results:
        cases = memory.setdefault(result.integration, [])
        if result.case in cases:
            cases.remove(result.case)
    for result in results:
        if result.outcome.is_bad and result.case not in memory[result.integration]:
            memory[result.integration].append(result.case)
    put(output / FILE, as_json({integration: cases for integration, cases in sorted(memory.items()) if cases}))


def _is_named(integration: str, names: Sequence[str]) -> bool:
    """Whether a judged integration, `workload@1.37.1`, is one of `workload`, `workload@1.37` or itself."""
    return any(integration == name or integration.startswith((f"{name}@", f"{name}.")) for name in names)


def _read(output: Path) -> dict[str, list[str]]:
    """The content of the file; nothing if there is none or it is damaged."""
    try:
        data = json.loads((output / FILE).read_text(encoding="utf-8"))
        return {str(integration): [str(case) for case in cases] for integration, cases in data.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
