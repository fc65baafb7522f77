"""`muster bench start`: how long a person waits for the first case of `muster run`, and what of it is not the box.

The start of a box cannot be had any faster here; `muster bench box` is about that. The rest is Python: imports, two
interpreters, the options, the collection of the cases. It is measured from the events of a real run of one case. A
second figure is the same with a spare box that an earlier run has left.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness.bench import BenchResult, Report, median
from harness.box.embedded import handover
from harness.core.errors import HarnessError
from harness.core.waiting import until
from harness.runner import events

CASE = "gang-of-one-is-bound"
TIMEOUT = 120.0  # seconds for a run of one case, and for a spare box


def bench(rounds: int, report: Report) -> BenchResult:
    """Measure runs without and with a spare box in turn, and the help."""
    beside, boxes, whole, spared, helps = [], [], [], [], []
    with tempfile.TemporaryDirectory(prefix="muster-start-") as folder:
        handover.dismiss()  # that of an earlier run would be taken
        for number in range(rounds):
            helps.append(_seconds("--help"))
            total, box = _run(Path(folder) / f"plain-{number}")
            whole.append(total)
            boxes.append(box)
            beside.append(total - box)
            _run(Path(folder) / f"leaves-{number}", "--spare")
            until(handover.is_there, TIMEOUT, "a spare box waits", poll=0.2)
            spared.append(_run(Path(folder) / f"takes-{number}", "--spare")[0])
            until(handover.dismiss, TIMEOUT, "the last spare box ends", poll=0.2)
            report(
                f"round {number + 1}/{rounds}: first case after {total:.2f} s, of which the box {box:.2f} s; "
                f"with a spare box after {spared[-1]:.2f} s"
            )
    return BenchResult(
        "start",
        ratios={"spare_to_plain": round(median(spared) / median(whole), 3)},
        figures={
            "beside_box_seconds": median(beside),
            "box_seconds": median(boxes),
            "first_case_seconds": median(whole),
            "first_case_with_spare_seconds": median(spared),
            "help_seconds": median(helps),
            "rounds": rounds,
        },
        targets={"beside_box_seconds": 0.5, "help_seconds": 0.2},
    )


def _run(folder: Path, *options: str) -> tuple[float, float]:
    """Seconds from the command to its first case, and of these the seconds in which the testbed was opened."""
    began = time.time()
    command = [sys.executable, "-m", "harness", "run", "--case", CASE, "--output", str(folder), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, env=dict(os.environ))
    all_events = [event for place in folder.glob("2*") for event in events.read(place)]
    kinds = ("phase-begin", "testbed", "begin")
    first = {kind: next((event["at"] for event in all_events if event["event"] == kind), 0.0) for kind in kinds}
    if not all(first.values()):
        raise HarnessError(f"muster run did not come to its first case:\n{(done.stderr or done.stdout)[-800:]}")
    return first["begin"] - began, first["testbed"] - first["phase-begin"]


def _seconds(*arguments: str) -> float:
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "harness", *arguments], capture_output=True, check=True)
    return time.monotonic() - began
