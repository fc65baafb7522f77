"""One sample: a box with one integration, one load, and what was measured and judged of it.

The order is that of a case: nodes, what is there before, the load itself, the wait, the history, the verdicts. The same
recorder watches and the same checks judge, so a figure never stands without the answer to whether it was reached by the
rules. A sample has a box of its own: what an earlier load left in etcd or in a scheduler's memory is in no figure.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.adapters import adapter
from harness.adapters.common.base import Settings
from harness.bench.load.calls import calls
from harness.bench.load.shapes import PREEMPTING, Load, Plan, Wave, plan
from harness.bench.load.stencil import Stencil
from harness.bench.load.usage import Usage
from harness.box.bulk import WORKERS, create_many
from harness.box.options import BoxOptions
from harness.box.phases import Listener
from harness.box.spec import BoxSpec
from harness.cases.world import World
from harness.core.gang import Gang
from harness.core.history import store
from harness.core.history.records import History, gang_key
from harness.core.kinds import POD
from harness.core.measure.course import course_of, lost, peak
from harness.core.measure.figures import CALLS
from harness.core.measure.model import CheckFinding, Point, Sample
from harness.core.measure.placement import usable
from harness.core.oracle.judge import case_outcome, judge_case, spoke
from harness.core.oracle.replay import timeline
from harness.core.waiting import until
from harness.runner.config import kubernetes_of
from harness.testbed.priorities import priority_class
from harness.testbed.testbed import Testbed, open_testbed

LOOK = 0.25  # seconds between two looks whether the load is done
LINE_EVERY = 10.0  # seconds between two lines about it
SHORT = 3.0  # the same once as much is used as can be: binds after that are noticed
QUIET = 15.0  # seconds without a bind after which a load that cannot start whole is done: more than any backoff
PATIENCE, SLOWEST = 180.0, 8.0  # seconds for any load, and the pods a second that the slowest scheduler is allowed
SETTLE = 60.0  # seconds for the watches to catch up with ten thousand pods

Tell = Callable[[str], None]


class _TimeUpError(Exception):
    """The load was not done within its limit."""


class NotSupportedError(Exception):
    """The integration does not claim what the load is about."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What all samples of a run have in common."""

    box: BoxSpec
    folder: Path
    timeout_factor: float = 1.0
    watch_cache: bool = True
    settings: Settings = field(default_factory=Settings)
    gates: dict[str, bool] = field(default_factory=dict)
    listener: Listener | None = None


def take(setup: Setup, integration: str, load: Load, point: Point, number: int, tell: Tell) -> Sample:
    """Measure the load on the integration once."""
    load_plan = plan(load)
    name, _, version = integration.partition("@")
    testbed = open_testbed(
        adapter(name),
        replace(setup.box, kubernetes=kubernetes_of(integration, setup.box.kubernetes)),
        replace(setup.settings, version=version or None),
        BoxOptions(gates=setup.gates, listener=setup.listener, watch_cache=setup.watch_cache, audit_calls=True),
        timeout_factor=setup.timeout_factor,
    )
    try:
        lacking = [feature for feature in load_plan.needs if feature not in testbed.features]
        if lacking:
            raise NotSupportedError(f"{testbed.integration} does not claim {', '.join(lacking)}")
        if load.paused and not testbed.box.capabilities.faults:
            raise NotSupportedError("the scheduler of this cluster is not muster's to pause")
        window = max(testbed.deadlines["window"], load_plan.window * setup.timeout_factor)
        testbed.deadlines = {**testbed.deadlines, "window": window}
        return _Measurement(setup, testbed, load_plan, tell).run(point, number)
    finally:
        testbed.close()


class _Measurement:
    """One load while it is measured."""

    def __init__(self, setup: Setup, testbed: Testbed, load_plan: Plan, tell: Tell) -> None:
        self._setup = setup
        self._testbed = testbed
        self._plan = load_plan
        self._tell = tell
        self._usable = usable(
            [load_plan.gpus] * load_plan.load.nodes,
            [
                *((gang.size, gang.gpus) for gang in load_plan.measured.gangs),
                *((1, 1) for _ in load_plan.measured.plain),
            ],
        )
        self._limit = (PATIENCE + load_plan.load.pods / SLOWEST) * setup.timeout_factor
        self._world = World(testbed, f"bench-{load_plan.load.shape}")
        self._context = self._world.context
        self._recorder = self._context.recorder
        self._began = 0.0  # when the measured wave began
        self._created = 0.0  # seconds that creating the measured wave took
        self._binds_before = 0  # when the last wave was submitted
        self._requests: Counter[str] = Counter()  # of the integration, by verb

    def run(self, point: Point, number: int) -> Sample:
        started = time.time()
        usage = Usage(self._testbed)
        try:
            self._prepare()
            before = usage.seconds()
            self._apply_load()
            after = usage.seconds()
            history = self._history()
            sample = self._judge(history, point, number, started)
        finally:
            usage.stop()
        figures = {**sample.figures, **usage.figures()}
        figures |= {f"cpu_seconds_{role}": round(after[role] - before.get(role, 0.0), 2) for role in after}
        return replace(sample, figures=figures)

    # -- what is there before -----------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        load, load_plan = self._plan.load, self._plan
        self._tell(f"adding {load.nodes} nodes of {load_plan.gpus} GPUs")
        nodes = self._world.nodes(load.nodes, gpus=load_plan.gpus, pods=load_plan.pods_of_a_node)
        self._context.see_nodes()
        if load_plan.before is not None:
            self._submit(load_plan.before)
            self._await(load_plan.before)
        if load.waiting:
            self._submit(Wave(load_plan.waiting, all_start=False))
            self._see_all_tried()
        if load.nominated:
            self._nominate(nodes)

    def _see_all_tried(self) -> None:
        """Go on once the scheduler has tried everything that is there."""
        fence = self._context.fence()
        until(
            self._with_lines(
                lambda: self._context.is_bound(fence), lambda: "waiting for the scheduler to have tried all"
            ),
            self._limit,
            "the scheduler has tried all that waits",
            poll=LOOK,
        )

    def _nominate(self, nodes: Sequence[str]) -> None:
        """Pods of high priority that have a nominated node and a gate, so that they stay what they are."""
        names = [f"nominated-{number:05}" for number in range(self._plan.load.nominated)]
        self._tell(f"nominating {len(names)} pods")
        priority = self._priority(PREEMPTING)
        create_many(self._context.api, Stencil(self._context).pods(names, priority=priority, gated=True))

        def nominate(item: tuple[int, str]) -> None:
            change = {"status": {"nominatedNodeName": nodes[item[0] % len(nodes)]}}
            self._context.api.patch(POD, self._context.namespace, item[1], change, subresource="status")

        with ThreadPoolExecutor(WORKERS) as workers:
            for _ in workers.map(nominate, enumerate(names)):
                pass
        self._see_all_tried()

    def _priority(self, value: int) -> str:
        return priority_class(self._testbed, self._context.namespace, value, preempts=True) if value else ""

    # -- the load itself ----------------------------------------------------------------------------------------------

    def _apply_load(self) -> None:
        wave, is_paused = self._plan.measured, self._plan.load.paused
        self._began = time.time()
        if is_paused:
            self._world.faults.pause("scheduler")
        began = time.monotonic()
        self._submit(wave)
        self._created = time.monotonic() - began
        if is_paused:
            self._world.faults.resume("scheduler")
        self._await(wave)

    def _submit(self, wave: Wave) -> None:
        """Create a wave side by side; each gang is announced when its first object is sent."""
        context, recorder = self._context, self._recorder
        priority = self._priority(wave.priority)
        gangs = [gang.but(priority=priority) for gang in wave.gangs] if priority else list(wave.gangs)
        self._tell(f"creating {len(gangs)} gangs, {wave.pods} pods")
        self._binds_before = recorder.timeline.loads
        stencil = Stencil(context, is_basic=wave.is_basic)

        def announce(index: int) -> None:
            if index < len(gangs):
                recorder.act("submit", gangs[index].name, context.namespace, gang=gangs[index].as_record())

        def batches() -> Any:
            yield from stencil.gangs(gangs)
            yield from stencil.pods(wave.plain, gpus=1, priority=priority)

        create_many(context.api, batches(), before=announce)
        if wave.all_start and gangs:
            recorder.act("expect", what="bound", gangs=self._keys(gangs), within=self._limit)

    def _await(self, wave: Wave) -> None:
        """Return when all of it is bound, or when nothing moves any more and there need not be room for all.

        After the limit what was reached is judged.
        """
        keys, names = set(self._keys(wave.gangs)), {gang_key(self._context.namespace, name) for name in wave.plain}
        last_binds, at = -1, time.monotonic()

        def is_done() -> bool:
            nonlocal last_binds, at
            binds = self._recorder.timeline.loads - self._binds_before  # cheap, and includes pods of others
            if binds != last_binds:
                last_binds, at = binds, time.monotonic()
            quiet = SHORT if binds >= self._usable.gpus else QUIET
            is_quiet = not wave.all_start and time.monotonic() - at > quiet
            return is_quiet or (binds >= wave.pods and self._bound(keys, names) >= wave.pods)

        asked = self._with_lines(is_done, lambda: f"bound {last_binds} of {wave.pods} pods")
        with contextlib.suppress(_TimeUpError):
            until(asked, self._limit, "the load is done", poll=LOOK, failure=_TimeUpError)

    def _bound(self, keys: set[str], names: set[str]) -> int:
        """Pods of these gangs and of these names that were ever bound."""
        with self._recorder.changed:
            return sum(
                pod.since is not None and (pod.gang in keys if pod.incarnation is not None else pod.name in names)
                for pod in self._recorder.timeline.pods.values()
            )

    def _with_lines(self, condition: Callable[[], bool], text: Callable[[], str]) -> Callable[[], bool]:
        """The same condition, which prints a line now and then for those who wait."""
        last_line = time.monotonic()

        def asked() -> bool:
            nonlocal last_line
            if condition():
                return True
            if (now := time.monotonic()) - last_line > LINE_EVERY:
                last_line = now
                self._tell(text())
            return False

        return asked

    def _keys(self, gangs: Sequence[Gang]) -> list[str]:
        return [gang_key(self._context.namespace, gang.name) for gang in gangs]

    # -- judging ------------------------------------------------------------------------------------------------------

    def _history(self) -> History:
        """Everything that was recorded; the recorder's own copy is given back, for judging needs the memory."""
        self._recorder.wait(lambda: False, self._testbed.deadlines["window"])  # windows that are open run out
        self._recorder.settle(SETTLE)
        history = self._context.history()
        self._requests = calls(self._recorder.requests(), self._groups(), self._began)
        self._recorder.stop()
        return history

    def _judge(self, history: History, point: Point, number: int, started: float) -> Sample:
        self._tell(f"judging {len(history.records)} records")
        load_plan, wave = self._plan, self._plan.measured
        verdicts = judge_case(history)
        went = course_of(history)
        optimum = self._usable
        figures = went.figures()
        if optimum.gpus:
            used = peak(went.used)
            figures["placement_percent"] = round(min(100.0, 100 * used / optimum.gpus), 2)
        if self._created:
            figures["created_per_second"] = round((wave.pods + len(wave.gangs)) / self._created, 1)
        figures |= self._calls(len(wave.gangs))
        figures["stalled_seconds"] = round(lost(timeline(history).stalls), 2)
        figures["records"] = len(history.records)
        where = Path("history") / self._testbed.integration / f"{_slug(point)}round-{number}.jsonl.zst"
        path = self._setup.folder / where
        path.parent.mkdir(parents=True, exist_ok=True)
        digest = store.write(path, history)
        figures["record_bytes"] = round(path.stat().st_size / max(1, len(history.records)), 1)
        return Sample(
            self._testbed.integration,
            self._testbed.box.kubernetes,
            number,
            point,
            figures,
            case_outcome(verdicts),
            tuple(CheckFinding(v.check, v.outcome, v.reason) for v in verdicts if spoke(v)),
            tuple(went.distribution()),
            went.used,
            float(load_plan.gpus * load_plan.load.nodes),
            optimum.is_exact,
            str(where),
            digest,
            started,
        )

    def _calls(self, gangs: int) -> dict[str, float]:
        """Requests of the integration for each gang; nothing where no log has them."""
        counts = self._requests
        if not counts or not gangs:
            return {}
        by_verb = {f"{CALLS}{verb}": round(count / gangs, 3) for verb, count in sorted(counts.items()) if verb}
        return {"calls_per_gang": round(sum(counts.values()) / gangs, 3), **by_verb}

    def _groups(self) -> set[tuple[str, str]]:
        return {(kind.api_version.partition("/")[0], kind.plural) for kind in self._testbed.group_resources()}


def _slug(point: Point) -> str:
    return "".join(f"{name}-{value}-" for name, value in point.items())
