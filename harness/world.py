"""The world of a case: a few words in which every case is written.

A word that acts writes itself into the history before it acts. A word that asks (`is_bound_whole`, `is_refused`) writes
down the promise with its deadline, waits for the records that decide it, and returns a `Verdict`. What a word finds out
elsewhere (an answer of the API server, how busy a process is) it writes down as a claim; so the verdict of a case can
be reached again from its history alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from harness.box.api import POD, Object
from harness.box.nodes import Pool
from harness.core.checks.refused import evidence
from harness.core.errors import HarnessError
from harness.core.evidence import pod_refused
from harness.core.gang import GPU, Gang
from harness.core.history import History
from harness.core.judge import judge_case
from harness.core.replay import timeline
from harness.core.verdict import Outcome, Verdict
from harness.faults import Faults
from harness.lab import Lab, create_all
from harness.livegang import Alter, LiveGang
from harness.objects import Objects

__all__ = ["LiveGang", "Object", "World"]

FENCE_REQUEST = {"cpu": "1m", "memory": "1Mi"}
CLING = "muster.dev/cling"  # finalizer of pods that take their time to go


class World(Faults, Objects):
    """What a case can do and ask; one namespace of its own in an empty box."""

    def __init__(self, lab: Lab, case: str) -> None:
        self.lab = lab
        self.case = case
        self.api = lab.box.api
        self.recorder = lab.recorder
        self.recorder.begin()
        self.namespace = lab.namespace()
        self._names = itertools.count(1)

    # -- what there is room on, and what asks for it ------------------------------------------------------------------

    def nodes(self, count: int, gpus: int = 8, **kind: Any) -> list[str]:
        """Add nodes of so many GPUs each; their names."""
        self.recorder.act("node-add", count=count, gpus=gpus)
        return self.lab.box.nodes.add(Pool(count, gpus=gpus, **kind))

    def another_namespace(self) -> str:
        """One more namespace that belongs to the case; its name."""
        return self.lab.namespace()

    def submit(
        self, gang: Gang, namespace: str = "", *, alter: Alter | None = None, without: str = "",
        objects: list[Object] | None = None,
    ) -> LiveGang:  # fmt: skip
        """Create the gang as the integration declares it, or as these objects.

        `alter` changes members before they are created; `without="group"` leaves the gang's own objects out at first.
        """
        live = LiveGang(self, gang, namespace or self.namespace, alter, objects)
        self.recorder.act("submit", gang.name, live.namespace, gang=gang.as_record())
        create_all(self.api, [obj for obj in live.objects if without != "group" or obj["kind"] == "Pod"])
        return live

    def objects_of(self, gang: Gang, namespace: str = "") -> list[Object]:
        """The gang as the integration declares it, to be changed by the case and given to `submit`."""
        return LiveGang(self, gang, namespace or self.namespace).objects

    def submit_mixed(self, *gangs: Gang) -> list[LiveGang]:
        """Create several gangs member by member in turns, as careless users do."""
        live = [self.submit(gang.but(missing=gang.size)) for gang in gangs]
        for _ in range(max(gang.size for gang in gangs)):
            for one in live:
                if one.gang.missing:
                    one.create_missing(1)
        return live

    def submit_together(self, *gangs: Gang) -> list[LiveGang]:
        """Create several gangs member by member in turn, so that a scheduler meets all of them at once."""
        live = [LiveGang(self, gang, self.namespace) for gang in gangs]
        for one in live:
            self.recorder.act("submit", one.gang.name, one.namespace, gang=one.gang.as_record())
            create_all(self.api, [obj for obj in one.objects if obj["kind"] != "Pod"])
        members = [[obj for obj in one.objects if obj["kind"] == "Pod"] for one in live]
        for turn in itertools.zip_longest(*members):
            create_all(self.api, [pod for pod in turn if pod is not None])
        return live

    def free(self, gang: LiveGang) -> None:
        """Delete a gang with everything that belongs to it."""
        self.recorder.act("delete", gang.gang.name, gang.namespace, what="gang")
        self.api.delete_all(POD, gang.namespace, grace=0, labelSelector=f"muster.dev/gang={gang.gang.name}")
        for obj in gang.objects:
            if obj["kind"] != "Pod":
                resource = self.api.resource(obj["apiVersion"], obj["kind"])
                self.api.delete(resource, gang.namespace, obj["metadata"]["name"])

    def priority(self, name: str, value: int, *, preempts: bool = True) -> str:
        """A PriorityClass of this value; its name, which is unique to the case."""
        unique = f"{name}-{self.namespace.removeprefix('case-')}"
        policy = "PreemptLowerPriority" if preempts else "Never"
        self.create({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": unique}, "value": value,
            "preemptionPolicy": policy,
        })  # fmt: skip
        return unique

    def queue(self, name: str, gpus: int) -> str:
        """A queue that lets so many GPUs be used at once; its name, which is unique to the case."""
        unique = f"{name}-{self.namespace.removeprefix('case-')}"
        make = self.lab.adapter.queue
        if make is None:
            raise HarnessError(f"{self.lab.adapter.title} has no way to make a queue")
        self.recorder.act("note", text=f"queue {unique} of {gpus} GPUs is made")
        make(self.lab.box, unique, {GPU: str(gpus)})
        return unique

    def create(self, obj: Object) -> Object:
        """Create any object; it goes with the case."""
        meta = obj["metadata"]
        self.recorder.act("note", text=f"{obj['kind']} {meta['name']} is created")
        made = self.api.create(obj)
        resource = self.api.resource(obj["apiVersion"], obj["kind"])
        if not resource.namespaced or meta.get("namespace") not in self.lab.namespaces:
            self.lab.leftovers.append((resource, meta.get("namespace", ""), meta["name"]))
        return made

    def domains(self, gang: LiveGang, label: str) -> set[str]:
        """The values of a node label that the gang's members are found under."""
        nodes = {node.name: node.state.get("labels") or {} for node in self.recorder.latest("Node")}
        return {str(nodes[name].get(label)) for name in gang.nodes}

    # -- pods of no gang ----------------------------------------------------------------------------------------------

    def pod(self, gpus: int = 1, priority: str = "", name: str = "", alter: Alter | None = None) -> str:
        """Submit a pod of no gang to the scheduler under test; its name."""
        name = name or f"pod-{next(self._names)}"
        request = {"cpu": "100m", "memory": "64Mi", **({GPU: str(gpus)} if gpus else {})}
        self._single(name, "plain", request, priority, alter)
        return name

    def fence(self) -> str:
        """Submit a tiny pod that fits anywhere: once it is bound, the scheduler has been past everything before it."""
        name = f"fence-{next(self._names)}"
        self.recorder.act("fence", name, self.namespace)
        self._single(name, "fence", FENCE_REQUEST)
        return name

    def _single(
        self, name: str, part: str, request: dict[str, str], priority: str = "", alter: Alter | None = None
    ) -> None:
        pod = self.lab.plain_pod(self.namespace, name, part=part, request=request, priority=priority)
        if alter is not None:
            alter(pod)
        self.recorder.act("note", text=f"pod {name} of no gang is submitted")
        self.api.create(pod)

    def delete_pod(self, name: str) -> None:
        self.recorder.act("note", text=f"pod {name} is deleted")
        self.api.delete(POD, self.namespace, name, grace=0)

    def is_bound(self, pod: str) -> bool:
        """Whether the pod of that name has a node now."""
        pods = self.recorder.latest("Pod")
        return any(one.name == pod and one.namespace == self.namespace and "node" in one.state for one in pods)

    def is_put_off(self, pod: str) -> bool:
        """Whether the scheduler has said of the pod of that name that it was not placed."""
        pods = self.recorder.latest("Pod")
        mine = (one for one in pods if one.name == pod and one.namespace == self.namespace)
        return any(pod_refused(one.state.get("conditions") or {}) for one in mine)

    def starts(self, *pods: str, deadline: str = "bound") -> Verdict:
        """The pods are bound within the deadline."""
        self.until(lambda: all(self.is_bound(pod) for pod in pods), deadline)
        late = [pod for pod in pods if not self.is_bound(pod)]
        return self.claim(f"pods of no gang are bound: {', '.join(pods)}", not late, f"not bound: {', '.join(late)}")

    def passes(self) -> Verdict:
        """The scheduler has been past everything that was there when this was called."""
        fence = self.fence()
        return self.claim("the scheduler is at work", self.until(lambda: self.is_bound(fence), "bound"))

    def comes_to_rest(self) -> Verdict:
        """The scheduler has been past everything, and what is bound runs: nobody has anything left to write."""
        fence = self.fence()

        def quiet() -> bool:
            pods = [pod.state for pod in self.recorder.latest("Pod") if pod.namespace in self.lab.namespaces]
            return self.is_bound(fence) and all(pod.get("phase") != "Pending" for pod in pods if "node" in pod)

        return self.claim("everything came to rest", self.until(quiet, "bound") or None)

    def waits(self, *pods: str) -> Verdict:
        """The pods have no node once the scheduler has been past them."""
        fence = self.fence()
        seen = self.until(lambda: self.is_bound(fence), "refused")
        early = [pod for pod in pods if self.is_bound(pod)]
        if not seen:
            return self.verdict("refused", False)
        return self.claim(f"pods wait: {', '.join(pods)}", not early, f"bound: {', '.join(early)}")

    @staticmethod
    def clings(pod: Object) -> None:
        """To be given as `alter`: the pod stays, leaving, after its deletion until `let_go`."""
        pod["metadata"]["finalizers"] = [CLING]

    def leaving(self) -> list[str]:
        """The pods of the case that are on their way out."""
        pods = [pod for pod in self.recorder.latest("Pod") if pod.namespace in self.lab.namespaces]
        return sorted(pod.name for pod in pods if pod.state.get("deleting"))

    def let_go(self) -> None:
        """Let all pods go that cling."""
        self.recorder.act("note", text="pods that cling may go")
        for namespace in self.lab.namespaces:
            for pod in self.api.list(POD, namespace):
                if CLING in (pod["metadata"].get("finalizers") or ()):
                    self.api.patch(POD, namespace, pod["metadata"]["name"], {"metadata": {"finalizers": []}})

    def shows_refusal(self, gang: LiveGang) -> bool:
        """Whether the history up to now is evidence that the scheduler refused the gang as it is."""
        line = timeline(history := self.history(closing=False))
        life = line.life(gang.key, len(history.records))
        return life is not None and evidence(line, life, len(history.records)) is not None

    # -- promises and verdicts ----------------------------------------------------------------------------------------

    def until(self, condition: Callable[[], bool], deadline: str) -> bool:
        """Whether the condition came true by the named deadline; it is looked at after every record."""
        return self.recorder.wait(condition, self.deadline(deadline))

    def one_of(self, *gangs: LiveGang) -> tuple[Verdict, LiveGang | None]:
        """Exactly one of the gangs is bound whole and of the others nothing; the verdict and the winner."""
        self.expect("one-of", gangs, self.deadline("bound"))
        self.until(lambda: any(gang.bound >= gang.gang.minimum for gang in gangs), "bound")
        winners = [gang for gang in gangs if gang.bound >= gang.gang.minimum]
        held = len(winners) == 1 and all(gang.bound == 0 for gang in gangs if gang is not winners[0])
        return self.verdict("live", held), winners[0] if winners else None

    def all_start(self, *gangs: LiveGang) -> Verdict:
        """Every gang reaches its quorum by the deadline of a long line."""
        keys = {gang.key: gang.gang.minimum for gang in gangs}
        seen: dict[str, set[str]] = {key: set() for key in keys}

        def done() -> bool:
            for record in self.recorder.latest("Pod"):
                key = record.state.get("gang", "")
                if key in seen and record.state.get("node") and record.state.get("part") == "member":
                    seen[key].add(record.uid)
            return all(len(seen[key]) >= quorum for key, quorum in keys.items())

        self.expect("bound", gangs, self.deadline("drained"))
        return self.verdict("live", self.until(done, "drained"))

    def start_in_order(self, *gangs: LiveGang) -> None:
        """From now on no gang may be bound before those named earlier."""
        self.expect("order", gangs, 0.0)

    def expect(self, what: str, gangs: Sequence[LiveGang], within: float, **details: Any) -> None:
        """Write down a promise the scheduler is held to from now on."""
        self.recorder.act("expect", what=what, gangs=[gang.key for gang in gangs], within=within, **details)

    def lift(self, *gangs: LiveGang) -> None:
        """End the promises that were to hold until further notice."""
        self.recorder.act("lift", gangs=[gang.key for gang in gangs])

    def claim(self, sentence: str, held: bool | None, detail: str = "") -> Verdict:
        """Something the case saw for itself, such as an answer of the API server; None: it could not be seen."""
        self.recorder.act("claim", sentence=sentence, held=held, detail=detail)
        return self.verdict("claims", held is True)

    def history(self, *, closing: bool = True) -> History:
        """Everything up to now; `closing`: with a last record that says how long was watched."""
        lab = self.lab
        return self.recorder.history(
            self.case, lab.namespaces, integration=lab.integration, kubernetes=lab.box.kubernetes, box=lab.box.kind,
            deadlines=dict(lab.deadlines), closing=closing,
        )  # fmt: skip

    def verdict(self, check: str, held: bool) -> Verdict:
        """A pass as it is; otherwise what the check finds in the history so far, with its witness."""
        if held:
            return Verdict(check, Outcome.PASS, "held")
        self.recorder.settle()
        found = {verdict.check: verdict for verdict in judge_case(self.history())}
        fallback = Verdict(check, Outcome.UNKNOWN, "the case did not see what it waited for")
        verdict = found.get(check, fallback)
        return fallback if verdict.outcome is Outcome.PASS else verdict
