"""The shapes of load: which gangs meet which nodes.

A shape is a small pure function from a size to a plan. Members ask for one GPU each unless the shape is about mixtures,
and nodes get as many GPUs as the shape needs room: the room is what a shape is about, not the brand of the machines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from harness.core.errors import UsageError
from harness.core.gang import Gang
from harness.core.measure.course import GANG, POD
from harness.core.text import nearest

LIFETIME = 5.0  # seconds that members of the shape `drain` run
PREEMPTING = 1000  # the priority of gangs that preempt, and of pods that are nominated
USUAL_GPUS = 8  # of a node, if the shape needs no more
USUAL_PODS = 110  # that a kubelet takes
CROWDED = ("contended", "drain")  # shapes in which not everything has room at once
SPARE = 1.25  # room of a shape in which everything fits, by what is asked for


@dataclass(frozen=True, slots=True)
class Load:
    """One point of a measurement."""

    shape: str
    nodes: int
    gangs: int
    size: int
    waiting: int = 0  # gangs that fit nowhere and are there before
    nominated: int = 0  # pods that have a nominated node and are there before
    paused: bool = False  # whether the scheduler is stopped while the load is created

    @property
    def pods(self) -> int:
        """How many pods there will be, about."""
        fillers = self.gangs * self.size if self.shape == "preemption" else 0
        return self.gangs * self.size + fillers + self.waiting * self.size + self.nominated

    @property
    def demand(self) -> int:
        return self.gangs * self.size

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Wave:
    """What is submitted together."""

    gangs: tuple[Gang, ...] = ()
    plain: tuple[str, ...] = ()  # names of pods of no gang
    priority: int = 0
    all_start: bool = True  # whether there is room for all of it, at once or in turn
    is_basic: bool = False  # groups without a quorum

    @property
    def pods(self) -> int:
        return sum(gang.size for gang in self.gangs) + len(self.plain)


@dataclass(frozen=True, slots=True)
class Plan:
    """A load in full."""

    load: Load
    gpus: int  # of a node
    measured: Wave
    before: Wave | None = None  # runs when the measured wave comes
    needs: tuple[str, ...] = ("gang",)  # features of the integration

    @property
    def pods_of_a_node(self) -> int:
        return max(USUAL_PODS, self.gpus + 10)

    @property
    def waiting(self) -> tuple[Gang, ...]:
        """Gangs that fit no node, however empty it is."""
        return _gangs("waiting-", self.load.waiting, self.load.size, gpus=self.gpus + 1)

    @property
    def window(self) -> float:
        """Seconds from the first bind of the largest gang to its quorum: 50 binds a second, kube-scheduler's default,
        and half as much again, since others bind too."""
        return 1.5 * max((gang.minimum for gang in self.measured.gangs), default=1) / 50


@dataclass(frozen=True, slots=True)
class Shape:
    """How a load of this name is made, and its size if nothing is said."""

    about: str
    plan: Callable[[Load], Plan]
    nodes: int = 1000
    gangs: int = 2500
    size: int = 4


def plan(load: Load) -> Plan:
    """What is submitted for this load; UsageError if its numbers make no sense together."""
    load_plan = SHAPES[load.shape].plan(load)
    largest = max((gang.size * gang.gpus for gang in load_plan.measured.gangs), default=1)
    if largest > load_plan.gpus * load.nodes:
        raise UsageError(
            f"a gang of {load.size} does not fit into {load.nodes} nodes of {load_plan.gpus} GPUs (shape {load.shape})",
            hint="Give more gangs, more nodes or a smaller --size.",
        )
    if load.shape in CROWDED and load_plan.gpus * load.nodes >= load.demand:
        raise UsageError(
            f"{load.nodes} nodes of {load_plan.gpus} GPU have room for all {load.demand} members, and the shape "
            f"{load.shape} is about too little room",
            hint="Give more gangs, a larger --size or fewer nodes.",
        )
    return load_plan


def load_of(shape: str, nodes: int | None, gangs: int | None, size: int | None, **more: Any) -> Load:
    """The load of a shape, with what is not given as the shape has it; UsageError for a shape that is none."""
    if shape not in SHAPES:
        raise UsageError(f"there is no shape {shape!r}", hint=f"{nearest(shape, SHAPES)}Shapes: {', '.join(SHAPES)}.")
    usual = SHAPES[shape]
    return Load(shape, nodes or usual.nodes, gangs or usual.gangs, size or usual.size, **more)


def _fit(load: Load) -> Plan:
    return Plan(load, _gpus(load, SPARE), Wave(_gangs(GANG, load.gangs, load.size)))


def _basic(load: Load) -> Plan:
    gangs = tuple(gang.but(quorum=1) for gang in _gangs(GANG, load.gangs, load.size))
    return Plan(load, _gpus(load, SPARE), Wave(gangs, is_basic=True), needs=("basic-policy",))


def _plain(load: Load) -> Plan:
    names = tuple(f"{POD}{number:05}" for number in range(load.demand))
    return Plan(load, _gpus(load, SPARE), Wave(plain=names), needs=())


def _contended(load: Load) -> Plan:
    wave = Wave(_gangs(GANG, load.gangs, load.size), all_start=False)
    return Plan(load, max(1, load.demand // (2 * load.nodes)), wave)


def _drain(load: Load) -> Plan:
    gangs = tuple(gang.but(lifetime=LIFETIME) for gang in _gangs(GANG, load.gangs, load.size))
    return Plan(load, max(1, load.demand // (3 * load.nodes)), Wave(gangs))


def _preemption(load: Load) -> Plan:
    gpus = math.ceil(load.demand / load.nodes)
    running = Wave(_gangs("running-", gpus * load.nodes // load.size, load.size))
    wave = Wave(_gangs(GANG, load.gangs, load.size), priority=PREEMPTING)
    return Plan(load, gpus, wave, running, ("preemption",))


def _mixed(load: Load) -> Plan:
    """Sizes from one to twice the usual, one to four GPUs for each member, and a pod of no gang after every fourth."""
    sizes = (load.size, 1, 2 * load.size, max(1, load.size // 2))
    amounts = (1, 2, 1, 4)
    gangs = tuple(
        Gang(f"{GANG}{number:05}", size=sizes[number % 4], gpus=amounts[number // 4 % 4])
        for number in range(load.gangs)
    )
    names = tuple(f"{POD}{number:05}" for number in range(load.gangs // 4))
    demand = sum(gang.size * gang.gpus for gang in gangs) + len(names)
    room = max(USUAL_GPUS, math.ceil(SPARE * demand / load.nodes))
    return Plan(load, 4 * math.ceil(room / 4), Wave(gangs, names))


def _gangs(name: str, count: int, size: int, gpus: int = 1) -> tuple[Gang, ...]:
    return tuple(Gang(f"{name}{number:05}", size=size, gpus=gpus) for number in range(count))


def _gpus(load: Load, room: float) -> int:
    return max(USUAL_GPUS, math.ceil(room * load.demand / load.nodes))


SHAPES: Mapping[str, Shape] = {
    "fit": Shape("There is room for every gang, and some to spare.", _fit),
    "contended": Shape("There is room for half of the gangs, and none of them ends.", _contended),
    "huge": Shape("A few very large gangs, with room for all.", _fit, 5000, 9, 1000),
    "preemption": Shape(
        "Gangs of high priority come when gangs of low priority fill all nodes.", _preemption, 100, 25, 4
    ),
    "mixed": Shape("Gangs of different sizes and requests, and pods of no gang between them.", _mixed, 1000, 1000, 4),
    "drain": Shape("There is room for a third at a time; members end after five seconds.", _drain, 100, 250, 4),
    "basic": Shape("As fit, but groups without a quorum: what a group costs that is no gang.", _basic),
    "plain": Shape("As fit, but the pods are in no gang.", _plain),
}


def grown(load: Load, axis: str, value: int) -> Load:
    """The load with one of its numbers changed; a gang size changes the number of gangs so that the pods stay."""
    if axis == "size":
        return replace(load, size=value, gangs=max(1, load.demand // value))
    numbers: dict[str, Any] = {axis: value}
    return replace(load, **numbers)


AXES = {
    "nodes": "nodes",
    "size": "members of a gang, with as many pods as before",
    "gangs": "gangs",
    "waiting": "gangs that fit nowhere and wait meanwhile",
    "nominated": "pods of higher priority with a nominated node",
}
