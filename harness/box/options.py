"""What a box is made with by those who start it, whatever its kind; what its user asked for is a `BoxSpec`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.box.nodes import Pool
    from harness.box.phases import Listener
    from harness.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class BoxOptions:
    """Each kind of box takes what it has a use for. A cluster that exists keeps its name, its gates and its server."""

    nodes: Sequence[Pool] = ()
    name: str | None = None  # None: a generated one
    binaries: Mapping[str, Path] = field(default_factory=dict)  # COMPONENT.PROCESS -> the program to be used instead
    gates: Mapping[str, bool] = field(default_factory=dict)
    port: int = 0  # of the API server; 0: a free one
    listener: Listener | None = None
    definitions: Sequence[Path] = ()  # files of CRDs that are there before any controller starts
    scheduler: bool = True  # whether kube-scheduler of an embedded box runs
    reserved: bool = False  # pods that do not ask for real workers are kept off them, if there are any
    own_kinds: Sequence[Kind] = ()  # of objects in no namespace that cases make of this integration alone
    watch_cache: bool = False  # of an embedded box, as its next one; see `ServerOptions`
    audit_calls: bool = False


DEFAULTS = BoxOptions()
