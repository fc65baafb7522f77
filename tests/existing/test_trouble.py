"""An API server that is hard to reach makes verdicts late or unknown, never wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import EmbeddedBox
from harness.box.existing import removal
from harness.core.history import store
from tests.existing.somebody import cases, muster, outcomes
from tests.existing.unsteady_proxy import Trouble, unsteady

pytestmark = pytest.mark.thorough
CASES = ("gang-that-fits-is-bound-whole", "gang-without-room-binds-nothing", "one-of-two-gangs-wins-whole")


def judge(box: EmbeddedBox, folder: Path, trouble: Trouble) -> tuple[int, str]:
    """The exit code and the output of a run that reaches the cluster with this trouble."""
    with unsteady(box, folder, trouble) as kubeconfig:
        options = ("run", *cases(*CASES), "--yes", "--output", str(folder / "runs"))
        done = muster(*options, kubeconfig=kubeconfig, context=box.name)
    muster("clean", kubeconfig=box.kubeconfig, context=box.name)
    assert removal.leftovers(box.api) == []
    return done.returncode, done.stdout + done.stderr


def test_cuts_and_requests_that_are_to_be_sent_again_change_nothing(somebody: EmbeddedBox, tmp_path: Path) -> None:
    answers = ((429, "1"), (503, "1"), (429, "0"), (503, "0"))
    trouble = Trouble(seed=1, cuts=0.25, refusals=0.03, answers=answers)

    code, output = judge(somebody, tmp_path, trouble)

    assert trouble.counts["cut"] >= 10 and trouble.counts["refused"] >= 5, trouble.counts
    assert code == 0, output
    histories = [store.read(path) for path in (tmp_path / "runs" / "latest").rglob("*.jsonl.zst")]
    assert len(histories) == len(CASES)
    assert all(history.gaps == () for history in histories)


def test_watch_that_expired_and_refused_requests_never_become_a_wrong_verdict(
    somebody: EmbeddedBox, tmp_path: Path
) -> None:
    trouble = Trouble(seed=3, cuts=0.2, refusals=0.02, answers=((429, ""), (503, "")), after=250, expires=6)

    code, output = judge(somebody, tmp_path, trouble)

    assert trouble.counts["refused"] and trouble.counts["expired"], trouble.counts
    assert code in (0, 2, 3), output
    if code != 3:
        assert set(outcomes(tmp_path / "runs")) == set(CASES), "a case that could not begin is unknown, not missing"
        assert "violated" not in outcomes(tmp_path / "runs").values(), output
