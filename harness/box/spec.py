"""The kinds of box there are, by name, behind one way to make any of them.

`embedded` is a control plane of host processes with fake nodes; `kind` has real kubelets; `existing` is a cluster that
others run. What only one of them can do is refused for the others, not ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.box.options import DEFAULTS, BoxOptions
from harness.core.errors import UsageError
from harness.core.text import nearest

if TYPE_CHECKING:
    from harness.box.base import Box
    from harness.box.embedded.box import EmbeddedBox
    from harness.box.existing.access import Access
    from harness.box.existing.box import ExistingBox
    from harness.box.kind.box import KindBox

DEFAULT_NODES = {"embedded": "8x8", "kind": ""}  # fake nodes of a box that is used by hand; a kind box has real ones
EXISTING = "existing"
KINDS = (*DEFAULT_NODES, EXISTING)
DISRUPTIONS = {  # what a user may allow in an existing cluster
    "scheduler": "delete the scheduler's pods",
    "queues": "create queues, which take part in the sharing between all queues",
}


@dataclass(frozen=True, slots=True)
class BoxSpec:
    """What a user asked for about the box."""

    kind: str = "embedded"
    kubernetes: str | None = None
    workers: int | None = None  # of kind; None: its default
    image: str | None = None
    sync: str | None = None
    keep_failed: bool = False
    kubeconfig: str | None = None  # of an existing cluster; the file, and the context in it
    context: str | None = None
    spare: bool = False  # take a box that an earlier run has left ready, and leave one for the next
    audit_log: str | None = None  # a file that the cluster's API server writes, if muster can read it
    nodes_selector: str | None = None  # real nodes of it that a run may borrow; None: fake ones
    pause_image: str | None = None  # what pods of cases run on real nodes
    disrupt: str | None = None  # what cases may disturb in it, of DISRUPTIONS, with commas

    def check(self) -> None:
        """UsageError for a kind that is none, and for what it cannot have."""
        if self.kind not in KINDS:
            raise UsageError(
                f"there is no box of the kind {self.kind!r}",
                hint=f"{nearest(self.kind, KINDS)}Kinds: {', '.join(KINDS)}.",
            )
        for option, value, kind in (
            ("--kind-workers", self.workers, "kind"),
            ("--image", self.image, "kind"),
            ("--sync", self.sync, "kind"),
            ("--kubeconfig", self.kubeconfig, EXISTING),
            ("--context", self.context, EXISTING),
            ("--audit-log", self.audit_log, EXISTING),
            ("--nodes-selector", self.nodes_selector, EXISTING),
            ("--pause-image", self.pause_image, EXISTING),
            ("--disrupt", self.disrupt, EXISTING),
        ):
            if value is not None and self.kind != kind:
                raise UsageError(f"{option} is for --box {kind} only; this box is {self.kind}")
        if self.spare and self.kind != "embedded":
            raise UsageError(f"--spare is for --box embedded only; this box is {self.kind}")
        if self.kind == EXISTING and self.kubernetes:
            raise UsageError(
                "--kubernetes cannot choose the version of an existing cluster", hint="Leave --kubernetes out."
            )
        if self.kind == EXISTING:
            self._check_existing()

    def _check_existing(self) -> None:
        if not self.kubeconfig:
            raise UsageError("--box existing needs a cluster", hint="Give --kubeconfig FILE and --context NAME.")
        if self.keep_failed:
            raise UsageError(
                "--keep failed keeps a box, and nothing of a run stays in an existing cluster",
                hint="Leave --keep out; logs/ of the run has the objects of each case that failed.",
            )
        if self.pause_image and not self.nodes_selector:
            raise UsageError(
                "--pause-image is for real nodes; on fake ones no container runs", hint="Give --nodes-selector too."
            )
        if self.audit_log and not Path(self.audit_log).is_file():
            raise UsageError(
                f"--audit-log: there is no file {self.audit_log}",
                hint="Leave it out if the log is not on this machine.",
            )
        for name in self.disruptions:
            if name not in DISRUPTIONS:
                allowed = "; ".join(f"{name} ({what})" for name, what in DISRUPTIONS.items())
                raise UsageError(
                    f"--disrupt: there is no {name!r}", hint=f"{nearest(name, DISRUPTIONS)}Allowed: {allowed}."
                )

    @property
    def disruptions(self) -> frozenset[str]:
        """What cases may disturb in an existing cluster beside their own gangs and nodes."""
        return frozenset(name for name in (self.disrupt or "").split(",") if name)

    @property
    def installs(self) -> bool:
        """Whether muster makes the cluster and installs an integration; otherwise they are others', and muster asks."""
        return self.kind != EXISTING

    def access(self) -> Access:
        """The way into the existing cluster that is meant; UsageError if the file or the context is wrong."""
        from harness.box.existing.access import read_access

        return read_access(Path(self.kubeconfig or ""), self.context or "")

    def make(self, options: BoxOptions = DEFAULTS) -> Box:
        """The box, not started."""
        self.check()
        if self.kind == EXISTING:
            return self._existing(options)
        return self.embedded(options) if self.kind == "embedded" else self._kind(options)

    def embedded(self, options: BoxOptions = DEFAULTS) -> EmbeddedBox:
        """The same where only an embedded box will do."""
        from harness.box.embedded.box import EmbeddedBox

        return EmbeddedBox(
            self.kubernetes,
            options.nodes,
            name=options.name,
            binaries=options.binaries,
            gates=options.gates,
            port=options.port,
            scheduler=options.scheduler,
            listener=options.listener,
            definitions=options.definitions,
            watch_cache=options.watch_cache,
            audit_calls=options.audit_calls,
            spare=self.spare,
        )

    def _kind(self, options: BoxOptions) -> KindBox:
        from harness.box.kind.box import AUTO, WORKERS, KindBox

        return KindBox(
            self.kubernetes,
            options.nodes,
            name=options.name,
            binaries=options.binaries,
            gates=options.gates,
            port=options.port,
            listener=options.listener,
            definitions=options.definitions,
            workers=WORKERS if self.workers is None else self.workers,
            image=self.image or AUTO,
            sync=self.sync or "",
            reserved=options.reserved,
            keep_failed=self.keep_failed,
        )

    def _existing(self, options: BoxOptions) -> ExistingBox:
        from harness.box.existing.box import ExistingBox

        return ExistingBox(
            self.access(),
            options,
            audit_log=Path(self.audit_log) if self.audit_log else None,
            nodes_selector=self.nodes_selector or "",
            pause_image=self.pause_image or "",
            faults=self.disruptions,
        )
