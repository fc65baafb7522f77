"""Load a finished run from its folder, its results.json, or `latest`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness.core.errors import UsageError
from harness.core.history.records import History
from harness.core.results import CaseResult, RunResult, run_from_data
from harness.core.untrusted import read_json


def load_run(place: Path) -> RunResult:
    """The run in this folder or results.json; a UsageError says what is wrong with the file."""
    path = place / "results.json" if place.is_dir() else place
    try:
        data = read_json(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}", hint="Give the folder of a run.") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}", hint="Give a results.json of `muster run`.") from error
    try:
        return run_from_data(data)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{path} has no results of a run: {error}", hint="Give a results.json of `muster run`."
        ) from error


def histories_in(folder: Path) -> Callable[[CaseResult], History | None]:
    """A function that reads the history of a case from the run folder; it returns None if there is none."""
    from harness.core.history import store

    root = folder.resolve()

    def read(case: CaseResult) -> History | None:
        path = (root / case.history).resolve()
        if not case.history or not path.is_relative_to(root) or not path.is_file():
            return None
        return store.read(path)

    return read
