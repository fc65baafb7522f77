"""Reports: what vendors publish and engineers look at, all made from one RunResult."""

from harness.report.write import write, write_page

__all__ = ["write", "write_page"]
