"""Run a control scheduler: `python tests/mutants [--sin NAME]`, with KUBECONFIG in the environment."""

from __future__ import annotations

import argparse
import json
import os
import re
from pathlib import Path

import sins
import sins_of_eviction
import sins_of_memory
import sins_of_neglect
import sins_of_terms
from honest import Honest

from harness.box.connect import connect

FILES = (sins, sins_of_eviction, sins_of_memory, sins_of_terms, sins_of_neglect)  # broad ones first
SINS = {
    re.sub(r"\B([A-Z])", r"-\1", name).lower(): sin
    for file in FILES
    for name, sin in vars(file).items()
    if isinstance(sin, type) and issubclass(sin, Honest) and sin.__module__ == file.__name__
}

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--list", action="store_true", help="print the sins as JSON")
parser.add_argument("--sin", choices=sorted(SINS), help="the law to break; none by default")
arguments = parser.parse_args()
if arguments.list:
    listed = [
        {"name": name, "about": sin.__doc__, "caught_by": sin.caught_by, "quick": sin.quick}
        for name, sin in SINS.items()
    ]
    print(json.dumps(listed))
    raise SystemExit(0)
scheduler = SINS.get(arguments.sin, Honest)
scheduler(connect(Path(os.environ["KUBECONFIG"]), agent="control-scheduler")).run()
