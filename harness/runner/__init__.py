"""Runs cases: the pytest plugin, the child process with its event log, and expected verdicts."""
