"""What an integration is made of: one `Adapter` value per scheduler.

An adapter is data and a few functions, nothing to subclass: how it is installed, how a neutral `Gang` becomes objects
(through the templates in manifests/<name>/), which pods belong to which gang, and which objects describe a gang. The
cases know nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.box.artifacts import Artifact
from harness.box.artifacts.progress import Event
from harness.box.artifacts.register import load
from harness.box.base import Box
from harness.box.image.archive import Image
from harness.box.minor import default_minor
from harness.box.pki import Authority
from harness.core.catalogue.versions import in_range
from harness.core.errors import HarnessError, UsageError
from harness.core.gang import Gang
from harness.core.kinds import Kind
from harness.core.labels import GANG_LABEL, by_label
from harness.core.oracle.vocabulary import COMMON, Vocabulary
from harness.core.text import nearest

Object = dict[str, Any]
Edit = tuple[Kind, str, Object]  # an object, its name, and the patch that changes it

BACKOFF_PACE = (  # of everything that is built on kube-scheduler's queue
    "A refused gang is tried again when something changes, and after the backoff of its pods, 1 to 10 seconds."
)


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
    artifacts: tuple[Artifact, ...] = ()  # for the report
    departures: tuple[Departure, ...] = ()
    schedulers: tuple[str, ...] = ()  # names in box.processes that place pods
    controllers: tuple[str, ...] = ()  # names in box.processes that keep the gang's objects
    features: frozenset[str] = frozenset()  # what options of the user added to the adapter's own
    images: tuple[Mapping[str, str], ...] = ()  # of programs that were there already, as rows of the report
    facts: Mapping[str, Any] = field(default_factory=dict)  # what else was there already, for the report
    unasked: Mapping[str, str] = field(default_factory=dict)  # features and disturbances not to be had here, and why


@dataclass(frozen=True, slots=True)
class InstallContext:
    """What the objects of a part are made from."""

    source: Artifact | None  # what its programs come from; None where its program is muster's own
    images: Mapping[str, str]  # by process
    authority: Authority  # that the API server trusts a webhook by
    options: Mapping[str, str] = field(default_factory=dict)  # --set

    @property
    def artifact(self) -> Artifact:
        """What the programs of a part come from that is a component."""
        if self.source is None:
            raise HarnessError("the program of this part is muster's own and comes from no component")
        return self.source


@dataclass(frozen=True, slots=True)
class Part:
    """One component of an integration as a cluster runs it: its images and the objects that start them.

    The parts of an integration are installed in order, each ready before the next: its CRDs, `prepare`, its objects
    and, once its Deployments are ready, its webhooks.
    """

    objects: Callable[[InstallContext], list[Object]]
    component: str = ""  # entry of clusters/components.yaml that its programs come from
    image: Callable[[Settings], Image] | None = None  # of the one program of a part that is no such component
    prepare: Callable[[Box, Artifact], None] = lambda box, artifact: None  # once the CRDs of its component are served
    options: tuple[str, ...] = ()  # what --set may name for it here; the rest of the adapter's options is refused
    departures: tuple[Departure, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)  # of its programs, by process; all others are controllers
    keeps_gangs: bool = True  # whether its controllers keep the gang's objects: those a case kills as the controller


@dataclass(frozen=True, slots=True)
class Claim:
    """A feature that an integration has in a range of versions only, or of which the source is to be named."""

    feature: str
    kubernetes: str = ""  # ">=1.36"
    versions: str = ""  # of the integration
    source: str = ""  # what says so: a design, a page, or a place in the code; for answers to open questions


@dataclass(frozen=True, slots=True)
class Variant:
    """Settings of an integration that make another one of it (`harness.adapters.common.variants`)."""

    about: str  # what is added to the title: "with its preempt action"
    settings: Mapping[str, str] = field(default_factory=dict)  # as --set would give them
    features: tuple[str | Claim, ...] = ()  # what they add to the features
    without: tuple[str, ...] = ()  # features that they switch off
    kubernetes: str = ""  # the minor that it runs on; empty: whichever is asked for
    gates: tuple[str, ...] = ()  # of Kubernetes, to be on


@dataclass(frozen=True, slots=True)
class Membership:
    """How pods name their gang, and what kind of object stands for it."""

    group: Kind | None  # None: the pods alone describe the gang
    place: tuple[str, str]  # the part of a pod's metadata, and the key in it, that names the gang


def read_min_member(obj: Object) -> tuple[str, int | None]:
    """The gang and quorum of an object that has its minimum in spec.minMember, as most PodGroups do."""
    meta = obj["metadata"]
    return (meta.get("labels") or {}).get(GANG_LABEL, meta["name"]), (obj.get("spec") or {}).get("minMember")


@dataclass(frozen=True, slots=True)
class Adapter:
    """One integration. What is usual is the default; the rest is what makes it different."""

    name: str  # as in `--integration NAME`
    title: str
    organization: str
    url: str
    scheduler: str  # schedulerName of the members
    install: Callable[[Box, Settings], Installed]
    component: str = ""  # entry of clusters/components.yaml whose version is the integration's; its name if not given
    folder: str = ""  # its templates in manifests/; its name if not given
    features: tuple[str | Claim, ...] = ()  # names from harness.core.catalogue.features; see `features_of`
    limits: tuple[Limit, ...] = ()
    vocabulary: Vocabulary = COMMON  # the words in which it refuses gangs and names victims
    pace: str = ""  # a period or backoff of its own that decides how long cases take, in a sentence for the report
    works_in_cycles: bool = False  # it decides once a second or so, from one look at everything, not at each change
    options: Mapping[str, str] = field(default_factory=dict)  # what --set may name, and its meaning
    variants: Mapping[str, Variant] = field(default_factory=dict)  # settings that are judged under a name: NAME+VARIANT
    preset: Mapping[str, str] = field(default_factory=dict)  # the settings of a variant; a user's go before them
    kubernetes: str = ""  # the minor that a variant runs on; empty: whichever is asked for
    gates: tuple[str, ...] = ()  # of Kubernetes, that a variant has on; a user's word goes before it
    needs_scheduler: bool = False  # whether kube-scheduler of the box must run (native: it is the one judged)
    definitions: Callable[[Settings, str], Sequence[Path]] = lambda settings, kubernetes: ()  # its CRDs
    cluster: tuple[Part, ...] = ()  # what it is made of where nodes run containers; none: processes there, too
    images: Mapping[str, str] = field(default_factory=dict)  # role -> what the image of its program is called (regex)
    queue: Callable[[Box, str, Mapping[str, str]], None] | None = None  # make a queue of this name with these limits
    shared_queue: Callable[[Box, str, Mapping[str, str], str], None] | None = None  # (box, name, share, cohort)
    open_queue: Callable[[Box, str, str], None] | None = None  # (box, queue, or "" for the usual one, namespace)
    follow_nodes: Callable[[Box], None] | None = None  # what an administrator does when nodes come, go or change size
    queue_kinds: tuple[Kind, ...] = ()  # what queues are, if each is an object in no namespace and configures nothing
    # -- gangs and pods --
    styles: tuple[str, ...] = ()  # named variations that a gang may ask for
    gang_fields: tuple[str, ...] = ()  # fields of Gang that can be expressed here, if not all
    values: Callable[[Gang, str], Mapping[str, Any]] = lambda gang, kubernetes: {}  # further values for gang.yaml.j2
    finish: Callable[[list[Object]], None] = lambda objects: None  # after a case has altered the members of a gang
    owner_annotations: Callable[[Gang], Mapping[str, str]] | None = None
    # ^ of a Job or a set whose pods are a gang, where its documentation asks for nothing else; None: its pods say it
    pod_labels: Mapping[str, str] = field(default_factory=dict)  # of pods in no gang, with {namespace} and {name}
    classify: Callable[[Object], tuple[str, str, str]] = by_label  # pod -> (gang name or "", part, role)
    groups: Callable[[str], tuple[Kind, ...]] = lambda kubernetes: ()  # kubernetes -> gang objects to record
    read_group: Callable[[Object], tuple[str, int | None]] = read_min_member  # gang object -> (gang name, its quorum)
    edit_quorum: Callable[[Gang, int, str], Sequence[Edit]] | None = None  # (gang, quorum, kubernetes)
    made_groups: Callable[[Gang], Sequence[tuple[Kind, str]]] = lambda gang: ()  # made for it, to be deleted with it
    wait_time: Callable[[Box, int], list[str]] | None = None  # the scheduler's command line with this wait time, in s
    late_mark: tuple[str, str] = ("", "")  # annotation and value of members whose gang is out of time
    membership: Membership | None = None  # for controllers that make gangs of users' objects

    def __post_init__(self) -> None:
        object.__setattr__(self, "component", self.component or self.name)
        object.__setattr__(self, "folder", self.folder or self.name)


def features_of(adapter: Adapter, kubernetes: str = "", version: str = "") -> frozenset[str]:
    """What the integration claims on this Kubernetes in this version; by default in those that muster runs.

    A minor such as 1.37 is enough for `kubernetes`.
    """
    kubernetes = kubernetes or adapter.kubernetes or default_minor()
    version = kubernetes if adapter.component == "kubernetes" else version or _default_version(adapter.component)
    claims = [Claim(claim) if isinstance(claim, str) else claim for claim in adapter.features]
    return frozenset(
        claim.feature
        for claim in claims
        if in_range(kubernetes, claim.kubernetes) and in_range(version, claim.versions)
    )


def _default_version(component: str) -> str:
    components = load().components
    return components[component].default if component in components else ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may choose about an integration."""

    version: str | None = None
    binaries: Mapping[str, Path] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)  # --set key=value
    progress: Callable[[Event], None] | None = None
    stated_version: str = ""  # of what is judged, in the words of the user: of a build of their own


def with_preset(adapter: Adapter, settings: Settings) -> Settings:
    """The settings of the user over those of the variant that is installed."""
    return replace(settings, options={**adapter.preset, **settings.options})


def check_options(adapter: Adapter, settings: Settings) -> None:
    """UsageError for an option that the integration does not have, before anything is started."""
    for name in settings.options:
        if name not in adapter.options:
            options = "; ".join(f"{option} ({what})" for option, what in adapter.options.items()) or "none"
            raise UsageError(
                f"{adapter.title} has no option {name!r}", hint=f"{nearest(name, adapter.options)}Options: {options}."
            )
