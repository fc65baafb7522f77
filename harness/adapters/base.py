"""What an integration is made of: one `Adapter` value per scheduler, and the few things it may ask of a box.

An adapter is data and a few functions, nothing to subclass: how it is installed, how a neutral `Gang` becomes objects
(through the templates in manifests/<name>/), which pods belong to which gang, and which objects describe a gang. The
cases know nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from harness.box.artifacts.register import nearest
from harness.core.errors import UsageError
from harness.core.gang import Gang

Object = dict[str, Any]

GANG_LABEL = "muster.dev/gang"  # on every member: the gang's name
ROLE_LABEL = "muster.dev/role"  # on members of a gang with roles
PART_LABEL = "muster.dev/part"  # on pods that are no members: fence, plain
BACKOFF_PACE = (  # of everything that is built on kube-scheduler's queue
    "A refused gang is tried again when something changes, and after the backoff of its pods, 1 to 10 seconds."
)


class Box(Protocol):
    """What an adapter may use of a box; see `harness.box.embedded.EmbeddedBox`."""

    kind: str  # embedded, or kind: nodes that run containers
    name: str
    kubernetes: str
    directory: Path
    processes: dict[str, Any]
    artifacts: dict[str, Any]
    api: Any
    profile: Any
    gates: dict[str, bool]  # of Kubernetes, as far as somebody chose them

    @property
    def authority(self) -> Any: ...

    def identity(self, user: str, groups: Sequence[str] = ...) -> Path: ...

    def run(self, command: Any, probe: Callable[[], bool] | None = None) -> Any: ...

    def reserve_port(self) -> int: ...

    def https_probe(self, port: int, path: str = "/readyz") -> Callable[[], bool]: ...


@dataclass(frozen=True, slots=True)
class Departure:
    """One way in which the scheduler under test is not run as its vendor ships it."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Limit:
    """Something an integration is known not to do, or to do differently, in a range of versions."""

    feature: str
    versions: str  # ">=1.35,<1.36"
    text: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class Installed:
    """What an installation left in the box."""

    version: str  # of the integration
    artifacts: tuple[Any, ...] = ()  # harness.box.artifacts.Artifact values, for the report
    departures: tuple[Departure, ...] = ()
    schedulers: tuple[str, ...] = ()  # names in box.processes that place pods
    controllers: tuple[str, ...] = ()  # names in box.processes that keep the gang's objects
    features: frozenset[str] = frozenset()  # what options of the user added to the adapter's own


@dataclass(frozen=True, slots=True)
class Site:
    """What the objects of a part are made from."""

    found: Any  # its harness.box.artifacts.Artifact; None where its program is muster's own
    images: Mapping[str, str]  # by process
    authority: Any  # harness.box.pki.Authority that the API server trusts a webhook by
    chosen: Mapping[str, str] = field(default_factory=dict)  # --set


@dataclass(frozen=True, slots=True)
class Part:
    """One component of an integration as a cluster runs it: its images and the objects that start them.

    The parts of an integration are installed in order, each ready before the next: its CRDs, `prepare`, its objects
    and, once its Deployments are ready, its webhooks.
    """

    objects: Callable[[Site], list[Object]]
    component: str = ""  # entry of clusters/components.yaml that its programs come from
    image: Callable[[Settings], Any] | None = None  # of the one program of a part that is no such component
    prepare: Callable[[Box, Any], None] = lambda box, found: None  # once its CRDs are served: (box, Artifact)
    options: tuple[str, ...] = ()  # what --set may name for it here; the rest of the adapter's options is refused
    departures: tuple[Departure, ...] = ()
    keeps_gangs: bool = True  # whether its controllers keep the gang's objects: those a case kills as the controller


@dataclass(frozen=True, slots=True)
class Adapter:
    """One integration."""

    name: str  # as in `--integration NAME` and manifests/NAME/
    title: str
    organization: str
    url: str
    component: str  # entry of clusters/components.yaml whose version is the integration's; its own name if it has none
    scheduler: str  # schedulerName of the members
    features: Callable[[str, str], frozenset[str]]  # (version, kubernetes) -> names from harness.core.features
    install: Callable[[Box, Settings], Installed]
    values: Callable[[Gang, str], Mapping[str, Any]]  # (gang, kubernetes) -> further values for gang.yaml.j2
    groups: Callable[[str], tuple[tuple[str, str], ...]]  # kubernetes -> (apiVersion, kind) of gang objects to record
    read_group: Callable[[Object], tuple[str, int | None]]  # gang object -> (gang name, its quorum)
    classify: Callable[[Object], tuple[str, str, str]]  # pod -> (gang name or "", part, role)
    edit_quorum: Callable[[Gang, int], Sequence[tuple[tuple[str, str], str, Object]]] | None = None
    finish: Callable[[list[Object]], None] = lambda objects: None  # after a case has altered the members of a gang
    definitions: Callable[[Settings], Sequence[Path]] = lambda settings: ()  # CRDs to have before the box starts
    queue: Callable[[Box, str, Mapping[str, str]], None] | None = None  # make a queue of this name with these limits
    options: Mapping[str, str] = field(default_factory=dict)  # what --set may name, and its meaning
    cluster: tuple[Part, ...] = ()  # what it is made of where nodes run containers; none: processes there, too
    limits: tuple[Limit, ...] = ()
    pace: str = ""  # a period or backoff of its own that decides how long cases take, in a sentence for the report
    needs_scheduler: bool = False  # whether kube-scheduler of the box must run (native: it is the one judged)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may choose about an integration."""

    version: str | None = None
    binaries: Mapping[str, Path] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)  # --set key=value
    progress: Callable[[Any], None] | None = None


def check_options(adapter: Adapter, settings: Settings) -> None:
    """UsageError for an option that the integration does not have, before anything is started."""
    for name in settings.options:
        if name not in adapter.options:
            known = "; ".join(f"{option} ({what})" for option, what in adapter.options.items()) or "none"
            raise UsageError(
                f"{adapter.title} has no option {name!r}", hint=f"{nearest(name, adapter.options)}Options: {known}."
            )


def by_label(pod: Object) -> tuple[str, str, str]:
    """The usual classification: members carry the gang's label from their template."""
    labels = pod["metadata"].get("labels") or {}
    if GANG_LABEL in labels:
        return labels[GANG_LABEL], "member", labels.get(ROLE_LABEL, "")
    return "", labels.get(PART_LABEL, "plain"), ""
