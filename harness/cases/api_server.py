"""`world.api_server`: requests that it refuses or puts off because a case says so, kinds that it does not know.

Policies and webhooks are created and deleted, and so is the definition of the objects that declare gangs. What was
changed is undone after the case.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.adapters import jobset_gang
from harness.box import crds
from harness.box.api import Object
from harness.box.minor import minor_of
from harness.cases import claims
from harness.cases.context import Context
from harness.cases.native import Native
from harness.cases.throttle import ADMISSION_API, Throttle
from harness.core.errors import ApiError, UnsupportedError
from harness.core.kinds import CRD, POD, Kind
from harness.core.verdict import Verdict
from harness.core.waiting import until

POLICY = "ValidatingAdmissionPolicy"


class ApiServer:
    """What the API server does not take from others while a case runs."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._definition: Object = {}  # of the kind that was removed
        self._throttle: Throttle | None = None

    def refuse_bind(self, pod: str) -> None:
        """From now on the API server refuses to bind the pod of that name."""
        self._forbid("v1", "pods/binding", "this bind is refused by the case", unless=f"request.name != '{pod}'")
        what = f"the policy that refuses to bind {pod} is in force"
        until(lambda: self._bind_is_refused(pod), self._context.deadline("ready"), what)

    def allow_bind(self) -> None:
        """Lift what `refuse_bind` did."""
        self._permit("pods/binding")

    def refuse_groups(self) -> Verdict:
        """From now on the API server refuses to create the objects that declare gangs in the case's namespace."""
        kind = _group_kind(self._context)
        self._forbid(kind.api_version, kind.plural, self._refusal())
        return claims.sees(self._context, "the API server refuses group objects", self._groups_are_refused)

    def allow_groups(self) -> None:
        """Lift what `refuse_groups` did."""
        self._permit(_group_kind(self._context).plural)

    def controller_was_refused(self) -> Verdict:
        """The controller has tried to make a group while `refuse_groups` held: its own log says so."""
        testbed = self._context.testbed
        processes = [testbed.box.processes[name] for name in testbed.installed.controllers]
        return claims.sees(
            self._context,
            "the controller tried to make a group and was refused",
            lambda: any(process.has_logged(self._refusal()) for process in processes),
        )

    def throttle_groups(self) -> None:
        """From now on who creates an object that declares a gang in the case's namespace is told to come later."""
        context, box = self._context, self._context.testbed.box
        if not box.capabilities.host_processes:
            raise UnsupportedError("the API server of this cluster cannot ask a webhook of this machine")
        throttle = Throttle(box, _group_kind(context), context.namespace, _probe(context)["metadata"]["name"])
        hooks = throttle.start()
        context.testbed.cleanup.callback(throttle.stop)
        context.create(hooks)
        self._throttle = throttle
        until(self._throttle_is_in_force, context.deadline("ready"), "requests for groups are put off")

    def controller_was_throttled(self) -> Verdict:
        """The controller has tried to make a group and was told to come later, and came again."""
        throttle = self._throttle
        assert throttle is not None, "throttle_groups comes first"
        sentence = "the controller was put off and came again"
        return claims.sees(self._context, sentence, lambda: throttle.put_off, least=2)

    def take_groups_again(self) -> None:
        """Lift what `throttle_groups` did."""
        throttle, context = self._throttle, self._context
        assert throttle is not None, "throttle_groups comes first"
        context.recorder.act("note", text=f"requests are not put off any more; {throttle.put_off} were")
        context.api.delete(context.api.resource(ADMISSION_API, "ValidatingWebhookConfiguration"), "", throttle.name)

    def _throttle_is_in_force(self) -> bool:
        assert self._throttle is not None
        self._context.api.create(_probe(self._context), dryRun="All")
        return self._throttle.is_in_force

    def remove_group_kind(self) -> None:
        """Delete the definition of the objects that declare gangs, and these with it; after the case it is back."""
        context, name = self._context, _definition_name(self._context)
        stored = context.api.get(CRD, "", name)
        meta = {key: stored["metadata"][key] for key in ("name", "annotations", "labels") if key in stored["metadata"]}
        self._definition = {"apiVersion": CRD.api_version, "kind": CRD.kind, "metadata": meta, "spec": stored["spec"]}
        context.testbed.cleanup.callback(self.restore_group_kind)
        context.recorder.act("note", text=f"the definition {name} is deleted")
        context.api.delete(CRD, "", name)
        until(lambda: not crds.served(context.api, name), context.deadline("ready"), f"{name} is not served any more")

    def restore_group_kind(self) -> None:
        """Create again what `remove_group_kind` deleted."""
        context, name = self._context, _definition_name(self._context)
        if not crds.served(context.api, name):
            context.recorder.act("note", text=f"the definition {name} is created again")
            context.api.create(self._definition)
        until(lambda: crds.served(context.api, name), context.deadline("ready"), f"{name} is served")

    def controller_missed_the_kind(self) -> Verdict:
        """The controller has looked for a group, or tried to make one, and there was no such kind: its log says so."""
        context = self._context
        processes = [context.testbed.box.processes[name] for name in context.testbed.installed.controllers]
        requests = [f"({verb} {_definition_name(context)})" for verb in ("get", "post")]
        texts = (*requests, f"POST {_group_kind(context).path(context.namespace)}: 404")
        return claims.sees(
            context,
            "the controller was about to make a group and found no such kind",
            lambda: any(process.has_logged(text) for process in processes for text in texts),
            "reconnected",
        )

    def _refusal(self) -> str:
        """The words of the refusal, which no controller has logged for another case."""
        return f"no group may be made in {self._context.namespace} for now, says the case"

    def _groups_are_refused(self) -> bool:
        probe = _probe(self._context)
        return self._is_refused(lambda: self._context.api.create(probe, dryRun="All"), self._refusal())

    def _bind_is_refused(self, pod: str) -> bool:
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": {"name": "nowhere"}}
        path = f"{POD.path(self._context.namespace, pod)}/binding"
        request = self._context.api.request
        return self._is_refused(lambda: request("POST", path, binding, params={"dryRun": "All"}), "refused by the case")

    @staticmethod
    def _is_refused(attempt: Callable[[], object], message: str) -> bool:
        try:
            attempt()
        except ApiError as error:
            return message in error.message
        return False

    def _forbid(self, api_version: str, plural: str, message: str, unless: str = "false") -> None:
        """Have the API server refuse to create such objects in the case's namespace; it takes a moment to know."""
        context = self._context
        group, _, version = api_version.rpartition("/")
        what = {"apiGroups": [group], "apiVersions": [version], "operations": ["CREATE"], "resources": [plural]}
        rule = {"expression": f"request.namespace != '{context.namespace}' || {unless}", "message": message}
        spec = {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": [what]}, "validations": [rule]}
        meta = {"name": self._policy(plural)}
        context.create({"apiVersion": ADMISSION_API, "kind": POLICY, "metadata": meta, "spec": spec})
        bound = {"policyName": meta["name"], "validationActions": ["Deny"]}
        context.create({"apiVersion": ADMISSION_API, "kind": f"{POLICY}Binding", "metadata": meta, "spec": bound})

    def _permit(self, plural: str) -> None:
        """Lift what `_forbid` did."""
        context = self._context
        context.recorder.act("note", text=f"{plural} may be created again")
        for kind in (f"{POLICY}Binding", POLICY):
            context.api.delete(context.api.resource(ADMISSION_API, kind), "", self._policy(plural))

    def _policy(self, plural: str) -> str:
        return f"no-{plural.replace('/', '-')}-{self._context.namespace}"


def _group_kind(context: Context) -> Kind:
    """The kind of the objects that declare gangs."""
    if context.testbed.adapter.folder == jobset_gang.NAME:
        return minor_of(context.testbed.box.kubernetes).gang_api.workload
    membership = context.testbed.adapter.membership
    assert membership is not None and membership.group is not None, "this integration has no group objects"
    return membership.group


def _definition_name(context: Context) -> str:
    """The name of the definition of the objects that declare gangs."""
    kind = _group_kind(context)
    return f"{kind.plural}.{kind.api_version.partition('/')[0]}"


def _probe(context: Context) -> Object:
    """A valid object that declares a gang."""
    kind = _group_kind(context)
    if kind.kind == "Workload":
        return Native(context).workload("probe")
    meta = {"name": "probe", "namespace": context.namespace}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": meta, "spec": {"minMember": 1}}
