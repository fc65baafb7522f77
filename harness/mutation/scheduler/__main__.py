"""Run the reference scheduler or a mutant of it: `python -m harness.mutation.scheduler [--mutant NAME]`.

The cluster is that of KUBECONFIG in the environment.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from harness.adapters.reference import NAME
from harness.box.connect import connect
from harness.mutation.scheduler.mutations import MUTATIONS
from harness.mutation.scheduler.reference import Reference

parser = argparse.ArgumentParser(prog="python -m harness.mutation.scheduler", description=__doc__)
parser.add_argument("--mutant", choices=sorted(MUTATIONS), help="the mutation; none by default")
parser.add_argument("--wait-time", type=float, help="seconds that gangs wait which do not say how long")
arguments = parser.parse_args()
scheduler = MUTATIONS[arguments.mutant] if arguments.mutant else Reference
scheduler(connect(Path(os.environ["KUBECONFIG"]), agent=NAME), wait_time=arguments.wait_time).run()
