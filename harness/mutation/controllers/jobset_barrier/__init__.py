"""Mutations of the barrier controller for JobSets."""

from __future__ import annotations

from harness.controllers.jobset_barrier.controller import Barrier
from harness.mutation.base import mutations
from harness.mutation.controllers.jobset_barrier import admission, script, signal

MUTATIONS = mutations(Barrier, signal, admission, script)
