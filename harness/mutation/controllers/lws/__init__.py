"""Mutations of the gang providers for LeaderWorkerSets, by the scheduler that they provide for."""

from __future__ import annotations

from collections.abc import Mapping

from harness.controllers.lws.provider import Coscheduling
from harness.controllers.lws.yunikorn import YuniKorn
from harness.controllers.runtime.service import MakeController
from harness.mutation.base import mutations
from harness.mutation.controllers.lws import admission, groups, lifetimes, starts, yunikorn

MUTATIONS: Mapping[str, Mapping[str, MakeController]] = {
    "coscheduling": mutations(Coscheduling, groups, lifetimes, starts, admission),
    "yunikorn": mutations(YuniKorn, yunikorn),
}
