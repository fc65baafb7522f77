"""Shared pieces: a run folder as `muster run` leaves it, made once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness import report

from .sample import judged_run, sample_run, store_histories


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with stored histories and every report in it; tests read it and leave it as it is."""
    place = tmp_path_factory.mktemp("run")
    report.write(store_histories(sample_run(), place), place)
    return place


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder in which every result follows from its history; tests read it and leave it as it is."""
    place = tmp_path_factory.mktemp("judged")
    report.write(judged_run(place), place)
    return place


@pytest.fixture
def verified(judged: Path, tmp_path: Path) -> Path:
    """The same as a folder of a test's own."""
    return Path(shutil.copytree(judged, tmp_path / "verified"))
