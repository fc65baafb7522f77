"""Reports: what vendors publish and engineers look at, all made from one RunResult.

`write` makes every file of a run folder; the modules beside it each make one kind of report.
"""

from harness.report.folder import new_folder, point_latest
from harness.report.load import load_run
from harness.report.write import write, write_page

__all__ = ["load_run", "new_folder", "point_latest", "write", "write_page"]
