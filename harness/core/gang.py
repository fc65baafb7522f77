"""A gang, independent of any scheduler.

A `Gang` is frozen and neutral: adapters turn it into PodGroups, annotations or task groups. Everything that a case can
ask for is a field here; what only one scheduler has belongs to the adapter of that scheduler.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import Any

from harness.core.errors import UsageError

GPU = "nvidia.com/gpu"
OWN_GPU = "muster.dev/gpu"  # the same on real nodes of a user's cluster, whose own GPUs are not touched


def gpus_of(amounts: Mapping[str, int]) -> float:
    """How many GPUs are among these amounts, which are in thousandths; a node that has both kinds lends its second."""
    return (amounts[OWN_GPU] if OWN_GPU in amounts else amounts.get(GPU, 0)) / 1000


@dataclass(frozen=True, slots=True)
class Role:
    """The members of a gang with the same request: how many, and what each of them requests."""

    name: str
    size: int
    quorum: int | None = None  # how many of this role must start; None means all
    gpus: int = 1
    cpu: str = "100m"
    memory: str = "64Mi"
    topology: str | None = None  # node label; all members of this role within one value of it

    @property
    def minimum(self) -> int:
        return self.size if self.quorum is None else self.quorum

    @property
    def request(self) -> dict[str, str]:
        """The resource list one member asks for."""
        amounts = {"cpu": self.cpu, "memory": self.memory}
        return {**amounts, GPU: str(self.gpus)} if self.gpus else amounts


@dataclass(frozen=True, slots=True)
class Gang:
    """Pods that start together: at least `quorum` of `size`, or none."""

    name: str = "gang"
    size: int = 1
    quorum: int | None = None  # how many must start together; None means all
    gpus: int = 1  # per member
    cpu: str = "100m"
    memory: str = "64Mi"
    stated_size: int | None = None  # how many members it says to have, where it can say so; None: it says nothing
    total_gpus: int | None = None  # what the gang declares to need in total; None: it declares nothing
    roles: tuple[Role, ...] = ()  # if set, size and requests come from the roles
    priority: str | None = None  # a PriorityClass name
    timeout: int | None = None  # seconds the scheduler may hold a partial gang, where it has such a setting
    queue: str | None = None
    group: tuple[str, ...] = ()  # names of gangs that only start together with this one
    topology: str | None = None  # node label; all members within one value of it
    disruption: str | None = None  # "pod" or "gang": what preemption may take at once
    gated: int = 0  # this many members carry a scheduling gate
    lifetime: float | None = None  # seconds a member runs before it completes; None means until deleted
    missing: int = 0  # this many members are not created at submission
    selector: Mapping[str, str] = field(default_factory=dict)  # node labels members ask for
    style: str | None = None  # a named variation of one adapter ("soft", "nonstrict"); None is its default

    def __post_init__(self) -> None:
        if self.roles:
            object.__setattr__(self, "size", sum(role.size for role in self.roles))
            if self.quorum is None:
                object.__setattr__(self, "quorum", sum(role.minimum for role in self.roles))
        if self.size < 1:
            raise UsageError(f"a gang has at least one member, given size={self.size}")
        if not 0 < self.minimum <= self.size + 1000:
            raise UsageError(f"a quorum is at least 1, given quorum={self.quorum}")
        if not 0 <= self.missing <= self.size:
            raise UsageError(f"between 0 and {self.size} members can be missing, given {self.missing}")

    @property
    def minimum(self) -> int:
        """How many members must start together."""
        return self.size if self.quorum is None else self.quorum

    @property
    def parts(self) -> tuple[Role, ...]:
        """The roles; a gang without any has one, called `member`."""
        if self.roles:
            return self.roles
        return (Role("member", self.size, self.quorum, self.gpus, self.cpu, self.memory),)

    @property
    def styles(self) -> frozenset[str]:
        """The variations that it asks for, which `style` joins by `+`."""
        return frozenset((self.style or "").split("+")) - {""}

    def members(self) -> list[tuple[str, Role]]:
        """Name and role of each member in order, without the members that are not created at submission."""
        named = [
            (f"{self.name}-{role.name}-{i}" if self.roles else f"{self.name}-{i}", role)
            for role in self.parts
            for i in range(role.size)
        ]
        return named[: self.size - self.missing]

    def but(self, **changes: Any) -> Gang:
        """The same gang with some fields changed."""
        return replace(self, **changes)

    def as_record(self) -> dict[str, Any]:
        """What the history keeps of a submitted gang: name, size and every field that is not its default."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        record = {name: value for name, value in values.items() if name in ("name", "size") or value != _UNSET[name]}
        if self.roles:
            record["roles"] = [asdict(role) for role in self.roles]
        for name in ("group", "selector"):
            if name in record:
                record[name] = list(record[name]) if name == "group" else dict(record[name])
        return record


def gang_from_record(data: Mapping[str, Any]) -> Gang:
    """The gang that `as_record` described; fields of a newer muster are ignored."""
    values = {name: value for name, value in data.items() if name in _UNSET}
    role_fields = {item.name for item in fields(Role)}
    values["roles"] = tuple(
        Role(**{key: role[key] for key in role if key in role_fields}) for role in data.get("roles", ())
    )
    values["group"] = tuple(data.get("group", ()))
    return Gang(**values)


_UNSET: Mapping[str, Any] = {
    item.name: item.default if item.default is not MISSING else {} for item in fields(Gang)
}  # only `selector` has a factory
