"""The kinds of box there are, by name, behind one way to make any of them.

`embedded` is a control plane of host processes with fake nodes; `kind` has real kubelets. What only one of them can do
is refused for the other, not ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.box.artifacts.register import nearest
from harness.box.embedded import EmbeddedBox
from harness.core.errors import UsageError

if TYPE_CHECKING:
    from harness.box.phases import Listener

KINDS = ("embedded", "kind")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a user asked for about the box."""

    kind: str = "embedded"
    kubernetes: str | None = None
    workers: int | None = None  # the rest is for kind alone; None: its default
    image: str | None = None
    sync: str | None = None
    keep_failed: bool = False

    def check(self) -> None:
        """UsageError for a kind that is none, and for what it cannot have."""
        if self.kind not in KINDS:
            raise UsageError(
                f"there is no box of the kind {self.kind!r}",
                hint=f"{nearest(self.kind, KINDS)}Kinds: {', '.join(KINDS)}.",
            )
        if self.kind == "kind":
            return
        for what, value in (("real workers", self.workers), ("a node image", self.image), ("a sync time", self.sync)):
            if value is not None:
                raise UsageError(f"{what} can be had with --box kind only; this box is {self.kind}")

    def make(
        self, *, listener: Listener, binaries: Mapping[str, Path], gates: Mapping[str, bool], **more: Any
    ) -> EmbeddedBox:
        """The box, not started."""
        self.check()
        common = {"listener": listener, "binaries": binaries, "gates": gates, **more}
        if self.kind == "embedded":
            return EmbeddedBox(self.kubernetes, **common)
        from harness.box.kind.box import KindBox

        own: dict[str, Any] = {"workers": self.workers, "image": self.image, "sync": self.sync}
        given = {name: value for name, value in own.items() if value is not None}
        return KindBox(self.kubernetes, keep_failed=self.keep_failed, **given, **common)
