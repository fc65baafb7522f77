"""Mutations of the gang controller for JobSets."""

from __future__ import annotations

from harness.controllers.jobset_gang.controller import JobSetGang
from harness.mutation.base import mutations
from harness.mutation.controllers.jobset_gang import admission, objects, state

MUTATIONS = mutations(JobSetGang, objects, state, admission)
