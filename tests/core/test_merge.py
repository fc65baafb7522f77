"""Several witnesses, one history."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.core.history.merge import audit_record, merge, slow_request
from harness.core.history.records import Record, ordered


def watch(rev: int, at: float, name: str = "p", changed: tuple[str, ...] = (), uid: str = "u", **state: Any) -> Record:
    return Record(rev, at, "watch", "modified", "Pod", "ns", name, uid, changed, state=state)


def audit(verb: str, sub: str = "", code: int = 201, at: str = "1970-01-01T00:00:05.000250Z", **more: Any) -> Any:
    ref = {"resource": "pods", "subresource": sub, "namespace": "ns", "name": "p", **more.pop("ref", {})}
    return {
        "stage": "ResponseComplete",
        "verb": verb,
        "userAgent": "sched/v1 (x)",
        "stageTimestamp": at,
        "objectRef": ref,
        "responseStatus": {"code": code, **more.pop("status", {})},
        **more,
    }


def binding(node: str = "n1", uid: str = "u", **more: Any) -> Any:
    body = {"metadata": {"name": "p", "uid": uid}, "target": {"kind": "Node", "name": node}}
    return audit("create", "binding", requestObject=body, **more)


BOUND = watch(10, 6.0, changed=("bound",), node="n1")


def test_an_accepted_bind_is_joined_to_the_record_that_shows_it() -> None:
    (record,) = merge([BOUND], [binding()])
    assert (record.rev, record.at, record.by) == (10, 5.00025, "sched/v1 (x)")


def test_a_bind_that_the_case_saw_before_it_was_logged_stands_before_what_the_case_did_then() -> None:
    bound, action_of_case = merge([BOUND], [binding(at="1970-01-01T00:00:06.200000Z")], [action(6.1, "delete")])
    assert (bound.rev, bound.at, bound.by, action_of_case.verb) == (10, 6.0, "sched/v1 (x)", "delete")


def test_a_bind_without_uid_is_joined_by_name_in_order() -> None:
    again = watch(20, 9.0, changed=("bound",), uid="v", node="n1")
    late = binding(uid="", at="1970-01-01T00:00:08.000000Z")
    first, second = merge([again, BOUND], [late, binding(uid="")])
    assert (first.rev, first.at, second.rev, second.at) == (10, 5.00025, 20, 8.0)


def test_a_bind_to_another_node_or_pod_is_not_joined() -> None:
    for other in (binding(node="n2"), binding(uid="w")):
        records = merge([BOUND], [other])
        assert {record.by for record in records if record.rev} == {""}
        assert [record.verb for record in records if not record.rev] == ["bind"]


def test_refused_binds_and_removals_stay_records_of_their_own() -> None:
    refused = binding(code=409, status={"message": "already assigned"})
    records = merge([], [refused, audit("delete", code=200), audit("create", "eviction"), audit("deletecollection")])
    assert sorted((record.verb, record.state["code"]) for record in records) == [
        ("bind", 409),
        ("delete", 200),
        ("delete", 201),
        ("evict", 201),
    ]
    assert next(record for record in records if record.verb == "bind").state["message"] == "already assigned"


def test_what_tells_nothing_is_left_out() -> None:
    for event in (
        audit("create"),
        audit("delete", ref={"resource": "nodes"}),
        {**audit("delete"), "stage": "RequestReceived"},
        {**audit("delete"), "requestURI": "/api/v1/namespaces/ns/pods/p?dryRun=All"},
        audit("get"),
    ):
        assert audit_record(event) is None


def test_repeats_after_a_new_list_are_kept_once() -> None:
    assert merge([watch(5, 2.0), watch(5, 1.0)]) == (watch(5, 1.0),)
    assert len(merge([watch(5, 1.0), watch(6, 1.0)])) == 2


def action(at: float, verb: str = "note") -> Record:
    return Record(None, at, "action", verb)


def test_what_has_no_revision_stands_where_its_time_puts_it() -> None:
    records = ordered([watch(3, 3.0), action(2.5), watch(1, 1.0), watch(2, 2.0), action(9.0), action(0.5)])
    assert [record.rev for record in records] == [None, 1, 2, None, 3, None]


def test_a_late_delivery_does_not_move_an_action() -> None:
    """Revision 1 was delivered at 9, but revision 2 was there at 2: so 1 was committed by 2, before the action at 5."""
    records = ordered([watch(1, 9.0), watch(2, 2.0), action(5.0), watch(3, 9.5)])
    assert [record.rev for record in records] == [1, 2, None, 3]


def test_at_equal_times_what_the_case_did_stands_first() -> None:
    assert [record.rev for record in ordered([watch(1, 2.0), action(2.0)])] == [None, 1]


times = st.integers(0, 20).map(float)


@settings(max_examples=150, deadline=None)
@given(
    revs=st.lists(st.tuples(st.integers(1, 30), times), max_size=12, unique_by=lambda pair: pair[0]),
    loose=st.lists(times, max_size=6, unique=True),
    chance=st.randoms(use_true_random=False),
)
def test_shuffled_input_gives_the_same_history(revs: list[tuple[int, float]], loose: list[float], chance: Any) -> None:
    watched = [watch(rev, at, name=f"p{rev}", uid=f"u{rev}", changed=("bound",), node="n") for rev, at in revs]
    accepted = {"code": 201, "node": "n"}
    binds = [
        Record(None, at / 2, "audit", "bind", "Pod", "ns", f"p{rev}", f"u{rev}", by="s", state=accepted)
        for rev, at in revs[::2]
    ]
    acts = [action(at) for at in loose]
    expected = merge(watched, binds, acts)
    mixed = [list(watched), list(binds), list(acts)]
    for record in mixed:
        chance.shuffle(record)
    assert merge(*mixed) == expected
    revisions = [record.rev for record in expected if record.rev is not None]
    assert revisions == sorted(rev for rev, _ in revs)
    assert sum(bool(record.by) for record in expected if record.rev) == len(binds)
    for place, record in enumerate(expected):
        if record.rev is None:
            assert all(later.at >= record.at for later in expected[place + 1 :])


def test_no_change_is_later_than_what_was_committed_after_it() -> None:
    """A nomination that was delivered late does not make the bind after it late."""
    nominated = watch(9, 6.9, changed=("nominated",))
    records = merge([nominated, watch(10, 7.0, changed=("bound",), node="n1")], [binding()])
    assert [(record.rev, record.at) for record in records] == [(9, 5.00025), (10, 5.00025)]


def test_what_was_audited_late_tells_the_time_of_a_bind_and_nothing_else() -> None:
    (record,) = merge([BOUND], late=[binding()])
    assert (record.at, record.by) == (5.00025, "sched/v1 (x)")
    assert merge([], late=[binding(), audit("delete", code=200)]) == ()


def test_a_bind_that_took_the_api_server_seconds_is_a_stall() -> None:
    slow = binding(requestReceivedTimestamp="1970-01-01T00:00:02.000000Z")
    stall, bound = merge([BOUND], [slow])
    assert bound.at == stall.at == 5.00025
    assert (stall.source, stall.verb, stall.name, stall.state) == (
        "action",
        "stalled",
        "apiserver",
        {"from": 2.0, "to": 5.00025},
    )
    quick = binding(requestReceivedTimestamp="1970-01-01T00:00:04.800000Z")
    assert [record.verb for record in merge([BOUND], [quick])] == ["modified"]


def test_what_a_webhook_took_is_no_stall() -> None:
    """It may be the scheduler's own."""

    def stalls(latency: str) -> list[float]:
        notes = {"apiserver.latency.k8s.io/validating-webhook": latency, "apiserver.latency.k8s.io/total": "3.0003s"}
        slow = binding(requestReceivedTimestamp="1970-01-01T00:00:02.000000Z", annotations=notes)
        return [round(r.state["to"] - r.state["from"], 2) for r in merge([], [slow]) if r.verb == "stalled"]

    assert stalls("2.9s") == []
    assert stalls("2s0ms") == [1.0]
    assert stalls("500.25ms") == [2.5]
    assert stalls("1m0s") == []
    queued = {"apiserver.latency.k8s.io/apf-queue-wait": "2.9s"}
    assert slow_request(binding(requestReceivedTimestamp="1970-01-01T00:00:02.000000Z", annotations=queued)) is None


def test_what_takes_time_by_nature_is_no_stall() -> None:
    received = {"requestReceivedTimestamp": "1970-01-01T00:00:02.000000Z"}
    for event in (audit("create", "eviction", **received), audit("deletecollection", code=200, **received)):
        assert [record.verb for record in merge([], [event])] != []
        assert slow_request(event) is None
    assert slow_request(audit("delete", code=200, **received)) is not None


def test_a_creation_in_the_log_dates_the_record_of_a_new_pod() -> None:
    created = Record(9, 6.0, "watch", "added", "Pod", "ns", "p", "u", ("created",))
    again = Record(12, 8.0, "watch", "added", "Pod", "ns", "p", "v", ("created",))
    early, late = audit("create"), audit("create", at="1970-01-01T00:00:07.000000Z")
    records = merge([again, created], [late, early])
    assert [(record.rev, record.at) for record in records] == [(9, 5.00025), (12, 7.0)]
    (refused,) = merge([created], [audit("create", code=403)])
    assert refused.at == 6.0
    (other,) = merge([created], [audit("create", ref={"name": "q"})])
    assert other.at == 6.0
