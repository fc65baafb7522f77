"""Check the workflows and the action by the actionlint that is locked in clusters/locks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from harness.box.artifacts import resolve

ROOT = Path(__file__).parent.parent

if __name__ == "__main__":
    sys.exit(subprocess.run([resolve("actionlint").binaries["actionlint"]], cwd=ROOT, check=False).returncode)
