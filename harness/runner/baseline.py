"""Files of the baseline: ci/expected/<integration>@<version>.yaml, one for each integration in one version.

A file holds deviations only. Which cases an integration is not asked for is computed from what they need and from the
features that its adapter claims, without running anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import yaml

from harness.adapters import adapter
from harness.adapters.common.base import features_of
from harness.box.artifacts import load as locks
from harness.core.catalogue.deviations import Race
from harness.core.catalogue.expected import (
    USUAL,
    Difference,
    Expected,
    RaceHit,
    deviations,
    differences,
    expected_from_data,
    race_hits,
)
from harness.core.errors import UsageError
from harness.core.files import put
from harness.core.results import CaseResult
from harness.core.verdict import Outcome
from harness.runner.collect import collect_cases

UNSTATED = "given"  # the version of a program that the user gave without stating one
HEAD = """\
# Where this integration deviates, for `muster run --expected`. A case that is not named here passes, or is not asked
# for (a feature is not claimed, or the clause holds for other versions). `violated` and `unsteady` (a race decides, in
# so many of so many runs) have a reason each; `races` may hit the cases that they name, or any up to their rate, by the
# checks that they break. docs/explanation/soundness.md has the rules.
# `muster run --profile all --expected {folder} --accept` writes what a run shows; reasons are by people.
"""


def path_of(folder: Path, integration: str) -> Path:
    return folder / f"{integration}.yaml"


def kubernetes_for(integration: str) -> str:
    """The Kubernetes that a file of this name is about: its own, or the usual one."""
    name, _, version = integration.partition("@")
    implementation = adapter(name)
    own_version = version if implementation.component == "kubernetes" else implementation.kubernetes
    return locks().lock("kubernetes", own_version or None).version


def load(folder: Path, integration: str, kubernetes: str) -> Expected | None:
    """The verdicts expected of an integration with its version on this Kubernetes; None if there is no file."""
    path = path_of(folder, integration)
    if not path.is_file():
        return None
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    cases = [case.id for case in collect_cases()]
    return expected_from_data(data, str(path), cases, not_asked(integration, kubernetes))


def explained(folder: Path | None, result: CaseResult) -> CaseResult:
    """The result with the reason that the baseline in the folder has for it, if it is a violation that is known."""
    if folder is None or result.outcome is not Outcome.VIOLATED:
        return result
    expected = load(folder, result.integration, result.kubernetes)
    return replace(result, expected=expected.reason(result)) if expected is not None else result


def not_asked(integration: str, kubernetes: str) -> frozenset[str]:
    """The cases that an integration with its version is not asked for on this Kubernetes."""
    name, _, version = integration.partition("@")
    implementation = adapter(name)
    features = features_of(implementation, kubernetes, version)
    return frozenset(case.id for case in collect_cases() if case.unmet(implementation.title, features, kubernetes))


def asked(folder: Path) -> dict[str, frozenset[str]]:
    """The cases that each integration with expected verdicts is asked for."""
    cases = frozenset(case.id for case in collect_cases())
    names = [path.stem for path in sorted(folder.glob("*.yaml"))]
    return {name: cases - not_asked(name, kubernetes_for(name)) for name in names}


def compare(folder: Path, results: Sequence[CaseResult], usual: tuple[Race, ...] = USUAL) -> list[Difference]:
    """Every result of the run that is not the expected one; UsageError if there is no file for an integration."""
    different: list[Difference] = []
    for integration, kubernetes, own_results in _by_integration(results):
        expected = load(folder, integration, kubernetes)
        if expected is None:
            raise _missing(folder, integration)
        different += differences(own_results, expected, usual)
    return different


def require(folder: Path, integration: str, programs: Collection[str] = (), stated: str = "") -> None:
    """UsageError if nothing is expected of any version of an integration: better told before a run than after it.

    `programs` are those of the user, COMPONENT.PROCESS, and `stated` is the version that the user states for them.
    """
    name = integration.partition("@")[0]
    if not stated and any(program.partition(".")[0] == adapter(name).component for program in programs):
        raise _missing(folder, f"{name}@{UNSTATED}")
    if not any(folder.glob(f"{name}@*.yaml")):
        raise _missing(folder, name)


def _missing(folder: Path, integration: str) -> UsageError:
    name, _, version = integration.partition("@")
    if version == UNSTATED:
        return UsageError(
            f"there are no expected verdicts of {integration}: the program is a build of your own",
            hint="Hold it against a version that has a file, such as: --implementation-version 1.2.3",
        )
    write = f"muster run --integration {name} --profile all --expected {folder} --accept"
    return UsageError(f"there are no expected verdicts of {integration} in {folder}", hint=f"Write them: {write}")


def hit_by_races(folder: Path, results: Sequence[CaseResult]) -> dict[tuple[str, str], RaceHit]:
    """Cases that a known race of their integration has hit, by integration and case."""
    hits: dict[tuple[str, str], RaceHit] = {}
    for integration, kubernetes, own_results in _by_integration(results):
        expected = load(folder, integration, kubernetes) or Expected()
        hits |= {(integration, case): hit for case, hit in race_hits(own_results, expected).items()}
    return hits


def accept(folder: Path, results: Sequence[CaseResult]) -> list[Path]:
    """Write down where a run deviates; the files written. A new violation stays a difference until it has a reason."""
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for integration, kubernetes, own_results in _by_integration(results):
            before = load(folder, integration, kubernetes) or Expected(not_asked=not_asked(integration, kubernetes))
            data = deviations(own_results, before)
            path = path_of(folder, integration)
            body = yaml.safe_dump(data, sort_keys=False, width=110, allow_unicode=True)
            put(path, HEAD.format(folder=folder) + body)
            written.append(path)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error}", hint="Give another folder to --expected.") from error
    return written


def _by_integration(results: Sequence[CaseResult]) -> Iterator[tuple[str, str, list[CaseResult]]]:
    for integration, kubernetes in sorted({(result.integration, result.kubernetes) for result in results}):
        yield (
            integration,
            kubernetes,
            [result for result in results if (result.integration, result.kubernetes) == (integration, kubernetes)],
        )
