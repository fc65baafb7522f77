"""What `World`, its parts and the handles of one case share: the box, the recorder and the promises in the history.

Cases never see this. Everything that acts writes itself into the history before it acts, and everything that asks
writes down the promise or the claim; so the verdict of a case can be reached again from its history alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from harness.adapters.common.render import single_pod
from harness.box.api import Object
from harness.core.errors import HarnessError, UnsupportedError
from harness.core.history.records import History, gang_key
from harness.core.kinds import POD
from harness.core.oracle.judge import judge_case
from harness.core.verdict import Outcome, Verdict
from harness.testbed.marker import see_nodes, see_nodes_soon
from harness.testbed.testbed import Testbed

FENCE_REQUEST = {"cpu": "1m", "memory": "1Mi"}

Alter = Callable[[Object], None]  # changes an object before it is created


class Named(Protocol):
    """A gang as promises name it."""

    @property
    def key(self) -> str: ...


class Context:
    """One case while it runs: one namespace of its own in an empty box."""

    def __init__(self, testbed: Testbed, case: str) -> None:
        self.testbed = testbed
        self.case = case
        self.api = testbed.box.api
        self.recorder = testbed.recorder
        self.recorder.begin()
        self.namespace = testbed.namespace()
        testbed.needs_probe |= not see_nodes_soon(testbed)
        self.read: list[Object] = []  # objects that the condition of a claim has read from the API server
        self._numbers = itertools.count(1)

    def deadline(self, name: str) -> float:
        """Seconds of the deadline of this name."""
        return self.testbed.deadlines[name]

    def processes(self, role: str) -> list[Any]:
        """Every process of a role (scheduler, controller, apiserver, etcd), or the one of that name."""
        testbed = self.testbed
        names: Sequence[str] = {
            "scheduler": testbed.installed.schedulers,
            "controller": testbed.installed.controllers,
        }.get(role, ())
        running = testbed.box.processes
        names = names or [name for name, process in running.items() if role in (process.command.role, name)]
        if not names and not testbed.box.capabilities.installs:
            raise UnsupportedError(f"no process of the role {role!r} of this cluster can be reached")
        if not names:
            raise HarnessError(f"this box has no process of the role {role!r}")
        return [running[name] for name in names]

    def until(self, condition: Callable[[], bool], deadline: str) -> bool:
        """Whether the condition came true by the named deadline; it is looked at after every record."""
        return self.recorder.wait(condition, self.deadline(deadline))

    def need_simulation(self, what: str) -> None:
        """UnsupportedError where containers really run, which do not do this by a word of the case."""
        if not self.testbed.simulated:
            raise UnsupportedError(f"{what}, and the containers of this cluster really run")

    def see_nodes(self) -> None:
        """Go on once the scheduler has seen every change of nodes so far; one that does not bind pods shows in the
        case itself."""
        self.testbed.needs_probe |= not see_nodes(self.testbed)

    def see_scheduler(self) -> None:
        """Go on once a scheduler that was away is at work; HarnessError if it is not by the deadline."""
        if not see_nodes(self.testbed):
            raise HarnessError("the scheduler has come back and binds nothing")

    # -- objects ------------------------------------------------------------------------------------------------------

    def create(self, obj: Object) -> Object:
        """Create any object; it is deleted with the case."""
        meta = obj["metadata"]
        self.recorder.act("note", text=f"{obj['kind']} {meta.get('name') or meta.get('generateName')} is created")
        stored = self.api.create(obj)
        resource = self.api.resource(obj["apiVersion"], obj["kind"])
        if not resource.namespaced or meta.get("namespace") not in self.testbed.namespaces:
            name = stored["metadata"]["name"]
            self.testbed.cleanup.callback(self.api.delete, resource, meta.get("namespace", ""), name)
        return stored

    def fence(self) -> str:
        """Submit a tiny pod that fits anywhere: once it is bound, the scheduler has tried everything before it."""
        name = f"fence-{next(self._numbers)}"
        self.recorder.act("fence", name, self.namespace)
        self.submit_pod(name, "fence", FENCE_REQUEST)
        return name

    def passes(self, fence: str, done: Callable[[], bool] = lambda: False, deadline: str = "refused") -> bool:
        """Whether the fence was bound, or it was done before, by the deadline.

        Where gangs are let in first and placed then, a fence may pass what came before it: that gets some more time.
        """
        passed = self.until(lambda: self.is_through(fence) or done(), deadline)
        if self.recorder.timeline.vocabulary.group_admits:
            self.until(done, "retried")
        return passed

    def unique(self, name: str) -> str:
        """A name for what belongs to no namespace, which no other case uses."""
        return f"{name}-{self.namespace.removeprefix('case-')}"

    def next_pod_name(self) -> str:
        return f"pod-{next(self._numbers)}"

    def submit_pod(
        self, name: str, part: str, request: dict[str, str], priority: str = "", alter: Alter | None = None
    ) -> None:
        """Submit a pod of no gang to the scheduler under test."""
        pod = single_pod(self.testbed.adapter, self.namespace, name, part=part, request=request, priority=priority)
        if alter is not None:
            alter(pod)
        self.recorder.act("note", text=f"pod {name} of no gang is submitted")
        self.api.create(pod)

    def delete_pod(self, name: str) -> None:
        self.note_deletion(self.namespace, name)
        self.api.delete(POD, self.namespace, name, grace=0)

    def note_deletion(self, namespace: str, name: str) -> None:
        """Write down that the case deletes a pod of no gang: nobody else is to be blamed for it."""
        deleted = gang_key(namespace, name)
        self.recorder.act("note", text=f"pod {deleted} is deleted", deleted=[deleted])

    # -- what the recorder saw ----------------------------------------------------------------------------------------

    def node_of(self, pod: str) -> str:
        """The node of the pod of that name; empty while it has none."""
        return self.recorder.timeline.node_of(self.namespace, pod)

    def is_bound(self, pod: str) -> bool:
        """Whether the pod of that name has a node now."""
        return bool(self.node_of(pod))

    def is_through(self, fence: str) -> bool:
        """Whether the fence was bound; it may have been evicted in the same moment, for a gang that needs its room."""
        return self.recorder.timeline.was_bound(self.namespace, fence)

    def history(self) -> History:
        """Everything up to now, with a last record that says how long was watched."""
        testbed = self.testbed
        return self.recorder.history(
            self.case,
            [*testbed.namespaces, testbed.marker_namespace()],
            integration=testbed.integration,
            kubernetes=testbed.box.kubernetes,
            box=testbed.box.kind,
            deadlines=dict(testbed.deadlines),
        )

    # -- promises, claims and verdicts --------------------------------------------------------------------------------

    def expect(self, what: str, gangs: Sequence[Named], within: float, **details: Any) -> None:
        """Write down a promise the scheduler is held to from now on."""
        self.recorder.act("expect", what=what, gangs=[gang.key for gang in gangs], within=within, **details)

    def lift(self, *gangs: Named) -> None:
        """End the promises that were to hold until further notice."""
        self.recorder.act("lift", gangs=[gang.key for gang in gangs])

    def claim(self, sentence: str, held: bool | None, detail: str = "", **evidence: Any) -> Verdict:
        """Something the case saw for itself; None: it could not be seen. `evidence` is what `recheck` judges again."""
        self.note_claim(sentence, held, detail, **evidence)
        return self.verdict("assertions", held is True)

    def note_claim(self, sentence: str, held: bool | None, detail: str, **evidence: Any) -> None:
        """Write a claim down; its verdict follows when nothing is locked any more."""
        self.recorder.act("claim", sentence=sentence, held=held, detail=detail, **evidence)

    def verdict(self, check: str, held: bool) -> Verdict:
        """A pass as it is; otherwise what the check finds in the history so far, with its witness."""
        if held:
            return Verdict(check, Outcome.PASS, "held")
        self.recorder.settle()
        verdicts = {verdict.check: verdict for verdict in judge_case(self.history())}
        fallback = Verdict(
            check,
            Outcome.UNKNOWN,
            "the condition was not met before its deadline, and no check found a violation",
        )
        verdict = verdicts.get(check, fallback)
        return fallback if verdict.outcome is Outcome.PASS else verdict
