"""muster's own labels: which gang a pod belongs to, as what, in which role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GANG_LABEL = "muster.dev/gang"  # on every member and group object: the gang's name
ROLE_LABEL = "muster.dev/role"  # on members of a gang with roles
PART_LABEL = "muster.dev/part"  # on pods that are no members: fence, plain, placeholder


def by_label(pod: Mapping[str, Any]) -> tuple[str, str, str]:
    """Gang (empty: none), part and role of a pod that was written with these labels."""
    labels = (pod.get("metadata") or {}).get("labels") or {}
    gang = labels.get(GANG_LABEL, "")
    return gang, labels.get(PART_LABEL) or ("member" if gang else "plain"), labels.get(ROLE_LABEL, "") if gang else ""
