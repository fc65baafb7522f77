"""The mutations of the reference scheduler: one wrong decision each, in a module for each kind of decision."""

from __future__ import annotations

from harness.mutation.base import mutations
from harness.mutation.scheduler.mutations import (
    amounts,
    conduct,
    declarations,
    demands,
    eviction,
    filters,
    neglect,
    placement,
    preemptors,
    queues,
    quorum,
    state,
    terms,
)
from harness.mutation.scheduler.reference import Reference

# Mutations that most cases notice come first.
MUTATIONS = mutations(
    Reference,
    placement,
    quorum,
    eviction,
    preemptors,
    filters,
    amounts,
    demands,
    conduct,
    state,
    declarations,
    terms,
    neglect,
    queues,
)
