"""The evidence of a run as one file, and what a stranger can verify from nothing but that file.

`pack` puts the report, the results, the environment, every history and all logs of a run into one archive. It refuses a
run whose report does not follow from its histories, so that such a report is not published.

`verify` believes nothing in the archive. The results must follow from the histories, the report from the results, and
everything above the rows of the report from the rows. What it cannot know is whether the histories were recorded from
the programs that the report names: the publisher vouches for that by a signature (`harness.report.signature`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.core.catalogue.cases import Case
from harness.core.catalogue.selection import catalogue_size
from harness.core.errors import UsageError
from harness.core.files import replaced
from harness.core.results import RunResult
from harness.core.text import counted
from harness.core.untrusted import read_json
from harness.core.version import __version__
from harness.report import archive, provenance
from harness.report.archive import Manifest
from harness.report.evidence import FOLDER, Problem, declared_by, judge_again
from harness.report.load import load_run
from harness.report.verify import MOST, checked, disagreements, load_report, unlike_results

DOCUMENTS = ("environment.json", "report.yaml", "results.json")
FOLDERS = (FOLDER, "logs")


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found in the evidence of a run."""

    problems: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]  # what was verified: a word and a sentence
    report: Mapping[str, Any]


def pack(folder: Path, target: Path | None = None, catalogue: Sequence[Case] = ()) -> tuple[Path, Manifest]:
    """Write the evidence of the run in the folder; UsageError if it does not hold."""
    names = [*DOCUMENTS, *(name for part in FOLDERS for name in _files(folder, part))]
    for name in DOCUMENTS:
        if not (folder / name).is_file():
            raise UsageError(f"{folder} has no {name}", hint="Give the folder of a run, such as muster-runs/latest.")
    verified = verify_folder(folder, catalogue)
    if verified.problems:
        more = f" (and {len(verified.problems) - 1} more)" if len(verified.problems) > 1 else ""
        hint = f"See all with: muster recheck {folder}, and: muster report check {folder}"
        raise UsageError(f"{folder} is no evidence: {verified.problems[0]}{more}", hint=hint)
    place = folder.resolve()
    target = target or place.with_name(f"{place.name}{archive.SUFFIX}")
    about = {"run": verified.report["run"]["name"], "muster": verified.report["musterVersion"]}
    with replaced(target) as out:
        return target, archive.write(out, folder, names, about)


def verify(path: Path, catalogue: Sequence[Case] = (), builds: provenance.Builds | None = None) -> Verification:
    """Judge the evidence in the archive again; `builds` are the programs that this muster has built."""
    with tempfile.TemporaryDirectory(prefix="muster-") as name:
        manifest = archive.unpack(path, Path(name))
        verified = verify_folder(Path(name), catalogue, builds)
    fact = ("archive", f"{len(manifest.files)} files, each as the manifest names it; manifest {manifest.digest}")
    return Verification(verified.problems, (fact, *verified.facts), verified.report)


def verify_folder(
    folder: Path, catalogue: Sequence[Case] = (), builds: provenance.Builds | None = None
) -> Verification:
    """The same for the folder of a run."""
    data, run = load_report(folder), load_run(folder)
    sound = checked(data, None, catalogue)
    problems = [f"report.yaml: {problem}" for problem in sound.problems]
    problems += [f"report.yaml is not made of results.json: {text}" for text in unlike_results(data, run)]
    judged, unlike = _judged(run, folder, catalogue if sound.same_catalogue else ())
    problems += unlike
    if read_json(folder / "environment.json") != dict(run.environment):
        problems.append("environment.json: says something else than results.json")
    if problems:
        return Verification(tuple(problems[:MOST]), (), data)
    rows = sum(len(entry["cases"]) for entry in data["implementations"])
    facts = [
        ("report", f"every result follows from its {counted(rows, 'case')}, and each case that was selected is there"),
        ("histories", f"{judged} judged again: {_followed(run.muster)}"),
        ("catalogue", _catalogue(sound.same_catalogue, run, catalogue)),
        *(("program", line) for line in provenance.lines(run.implementations, builds or {})),
    ]
    return Verification((), tuple(facts), data)


def _followed(muster: str) -> str:
    if muster == __version__:
        return "outcomes, reasons and figures follow from them"
    return f"outcomes follow from them; reasons and figures were not compared, they are of muster {muster}"


def _judged(run: RunResult, folder: Path, catalogue: Sequence[Case]) -> tuple[int, list[str]]:
    judged, problems = 0, []
    declared = declared_by(catalogue, run.timeout_factor) if catalogue else None
    for entry in judge_again(run.cases, folder, declared):
        judged += not isinstance(entry, Problem)
        problems += disagreements(entry, run.muster)
    return judged, problems


def _catalogue(same: bool, run: RunResult, catalogue: Sequence[Case]) -> str:
    if same:
        return f"the {len(catalogue)} cases of this muster; rows, deadlines and promises are as these declare them"
    mine = f", and this muster has {catalogue_size(catalogue).digest}" if catalogue else ""
    return f"not compared: the run had {run.catalogue.digest or 'none'}{mine}"


def _files(folder: Path, part: str) -> Iterator[str]:
    """The files below a part of the run's folder; a link could bring in anything, so there must be none."""
    for path in sorted((folder / part).rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise UsageError(f"{path} is no plain file", hint="Remove it; an archive holds plain files alone.")
        if path.is_file():
            yield path.relative_to(folder).as_posix()
