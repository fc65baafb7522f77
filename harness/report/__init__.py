"""Reports for vendors to publish and for engineers to read, all made from one RunResult.

`write` makes every file of a run folder; each of the other modules makes one format.
"""

from harness.report.folder import new_folder, point_latest
from harness.report.load import load_run
from harness.report.write import write, write_page

__all__ = ["load_run", "new_folder", "point_latest", "write", "write_page"]
