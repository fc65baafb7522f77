"""Finding a finished run again: from its folder, its results.json, or `latest`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from harness.core import store
from harness.core.errors import UsageError
from harness.core.history import History
from harness.core.results import CaseResult, RunResult, run_from_data


def load_run(place: Path) -> RunResult:
    """The run whose folder or results.json this is; UsageError says what is wrong with it."""
    path = place / "results.json" if place.is_dir() else place
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}", hint="give a run folder") from error
    except (ValueError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not JSON: {error}", hint="muster run writes results.json") from error
    try:
        return run_from_data(data)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{path} is not the results of a run: {error}", hint="muster run writes results.json"
        ) from error


def histories_in(folder: Path) -> Callable[[CaseResult], History | None]:
    """Reads the history of a case from the run folder; None where there is none."""
    root = folder.resolve()

    def read(case: CaseResult) -> History | None:
        path = (root / case.history).resolve()
        if not case.history or not path.is_relative_to(root) or not path.is_file():
            return None
        return store.read(path)

    return read
