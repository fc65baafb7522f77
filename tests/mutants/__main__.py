"""Run a control scheduler: `python tests/mutants [--sin NAME]`, with KUBECONFIG in the environment."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from honest import Honest
from sins import SINS

from harness.box.connect import connect

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--list", action="store_true", help="print the sins as JSON")
parser.add_argument("--sin", choices=sorted(SINS), help="the law to break; none by default")
arguments = parser.parse_args()
if arguments.list:
    print(json.dumps([{"name": name, "about": sin.__doc__, "caught_by": sin.caught_by} for name, sin in SINS.items()]))
    raise SystemExit(0)
scheduler = SINS.get(arguments.sin, Honest)
scheduler(connect(Path(os.environ["KUBECONFIG"]), agent="control-scheduler")).run()
