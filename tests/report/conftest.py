"""Shared pieces: a run folder as `muster run` leaves it, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import report

from .sample import sample_run, store_histories


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with stored histories and every report in it; tests read it and leave it as it is."""
    place = tmp_path_factory.mktemp("run")
    report.write(store_histories(sample_run(), place), place)
    return place
