"""`python -m harness`: the muster command where its script is not on the path."""

from harness.cli import main

main()
