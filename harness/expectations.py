"""Files of expected verdicts: ci/expected/<integration>@<version>.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from harness.core.errors import UsageError
from harness.core.expected import Difference, Expected, Struck, as_data, differences, expected_from_data, struck
from harness.core.results import CaseResult

HEAD = """\
# What `muster run --expected` holds a run of this integration against. Every case is named: those that pass, those it
# is not asked for (a feature is not claimed, or the clause holds for other versions), those it violates, and those that
# a race decides (`unsteady`), with reasons. `races` may strike in any case, by the checks that they break.
# `muster run --profile all --expected {folder} --accept` writes what was found; reasons are by people.
"""


def path_of(folder: Path, integration: str) -> Path:
    return folder / f"{integration}.yaml"


def load(folder: Path, integration: str) -> Expected | None:
    """The expected verdicts of an integration; None if nobody wrote them down."""
    path = path_of(folder, integration)
    if not path.is_file():
        return None
    try:
        return expected_from_data(yaml.safe_load(path.read_text(encoding="utf-8")) or {}, str(path))
    except yaml.YAMLError as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def compare(folder: Path, results: Sequence[CaseResult]) -> list[Difference]:
    """Every result of the run that is not the expected one; UsageError if there is no file for an integration."""
    found: list[Difference] = []
    for integration in sorted({result.integration for result in results}):
        expected = load(folder, integration)
        if expected is None:
            raise _missing(folder, integration)
        found += differences([one for one in results if one.integration == integration], expected)
    return found


def require(folder: Path, integration: str) -> None:
    """UsageError if nothing is expected of any version of an integration: better told before a run than after it."""
    name = integration.partition("@")[0]
    if not any(folder.glob(f"{name}@*.yaml")):
        raise _missing(folder, name)


def _missing(folder: Path, integration: str) -> UsageError:
    name = integration.partition("@")[0]
    write = f"muster run --integration {name} --profile all --expected {folder} --accept"
    return UsageError(f"there are no expected verdicts of {integration} in {folder}", hint=f"Write them: {write}")


def hit_by_races(folder: Path, results: Sequence[CaseResult]) -> dict[tuple[str, str], Struck]:
    """Cases that a race known of their integration has struck, by integration and case."""
    found: dict[tuple[str, str], Struck] = {}
    for integration in sorted({result.integration for result in results}):
        mine = [one for one in results if one.integration == integration]
        hits = struck(mine, load(folder, integration) or Expected())
        found |= {(integration, case): hit for case, hit in hits.items()}
    return found


def accept(folder: Path, results: Sequence[CaseResult]) -> list[Path]:
    """Write down what a run found; the files written."""
    written = []
    folder.mkdir(parents=True, exist_ok=True)
    for integration in sorted({result.integration for result in results}):
        mine = [one for one in results if one.integration == integration]
        data = as_data(mine, load(folder, integration) or Expected())
        path = path_of(folder, integration)
        body = yaml.safe_dump(data, sort_keys=False, width=110, allow_unicode=True)
        path.write_text(HEAD.format(folder=folder) + body, encoding="utf-8")
        written.append(path)
    return written
