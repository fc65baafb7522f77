"""Histories on disk: what was written is read, and a wrong file never gives a pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.bench import synthetic
from harness.core.errors import UsageError
from harness.core.gang import Gang
from harness.core.history import store
from harness.core.history.records import History, Record, header
from harness.core.oracle.checks import judge_all
from harness.core.verdict import Outcome

from .story import Story

GANG = Gang("a", 2)
short_texts = st.text(max_size=12)
states = st.dictionaries(
    short_texts.filter(bool),
    st.one_of(short_texts, st.integers(-(2**53), 2**53), st.booleans(), st.lists(short_texts, max_size=3)),
)
records = st.builds(
    Record,
    rev=st.none(),
    at=st.floats(0, 2e9).map(lambda at: round(at, 6)),
    source=st.sampled_from(["watch", "audit", "action", "gap"]),
    verb=short_texts,
    kind=short_texts,
    namespace=short_texts,
    name=short_texts,
    uid=short_texts,
    changed=st.lists(short_texts, max_size=3).map(tuple),
    by=short_texts,
    state=states,
)


def story() -> History:
    return Story().node("n1").submit(GANG).bind_all(GANG).end(30)


def lines(path: Path) -> list[bytes]:
    data = zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read()
    return data.splitlines(keepends=True)


def rewrite(path: Path, new: list[bytes]) -> Path:
    path.write_bytes(zstandard.ZstdCompressor().compress(b"".join(new)))
    return path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(rows=st.lists(records, max_size=8))
def test_what_was_written_is_read(tmp_path: Path, rows: list[Record]) -> None:
    path = tmp_path / "h.jsonl.zst"
    digest = store.write(path, History(header("any", deadlines={"window": 2.0}), tuple(rows)))
    back = store.read(path)
    assert back.records == tuple(rows)
    assert back.header["case"] == "any"
    assert back.complete
    assert store.write(tmp_path / "again", back) == digest


def test_a_large_history_comes_back_whole(tmp_path: Path) -> None:
    history = synthetic.history(pods=800, nodes=20, gpus=64)
    store.write(tmp_path / "h", history)
    assert store.read(tmp_path / "h").records == history.records


def test_the_verdicts_of_a_stored_history_are_the_same(tmp_path: Path) -> None:
    history = Story().node("n1", gpus=1).submit(GANG).bind_all(GANG).delete("a").end(90)
    store.write(tmp_path / "h", history)
    assert judge_all(store.read(tmp_path / "h")) == judge_all(history)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_incomplete_and_never_passes(tmp_path: Path, part: float) -> None:
    path = tmp_path / "h"
    store.write(path, synthetic.history(pods=4000, nodes=20, gpus=200))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * part)])
    cut = store.read(path)
    assert not cut.complete
    assert len(cut.records) > 0 or part < 0.5
    assert {verdict.outcome for verdict in judge_all(cut)} == {Outcome.UNKNOWN}


def test_a_file_without_its_footer_is_incomplete(tmp_path: Path) -> None:
    path = tmp_path / "h"
    store.write(path, story())
    assert not store.read(rewrite(path, lines(path)[:-1])).complete


def test_a_violation_before_the_cut_stays(tmp_path: Path) -> None:
    path = tmp_path / "h"
    store.write(path, Story().node("n1", gpus=1).submit(GANG).bind_all(GANG).end(30))
    outcomes = {verdict.check: verdict.outcome for verdict in judge_all(store.read(rewrite(path, lines(path)[:-1])))}
    assert outcomes["overbooking"] is Outcome.VIOLATED
    assert outcomes["atomic"] is Outcome.UNKNOWN


def edited(rows: list[bytes]) -> list[bytes]:
    return [line.replace(b'"n1"', b'"n2"') for line in rows]


def dropped(rows: list[bytes]) -> list[bytes]:
    return [*rows[:3], *rows[4:]]


def appended(rows: list[bytes]) -> list[bytes]:
    return [*rows, rows[1]]


def garbled(rows: list[bytes]) -> list[bytes]:
    return [*rows[:2], b"{not json}\n", *rows[3:]]


def not_a_record(rows: list[bytes]) -> list[bytes]:
    return [*rows[:2], b'{"hello":1}\n', *rows[3:]]


@pytest.mark.parametrize("harm", [edited, dropped, appended, garbled, not_a_record])
def test_an_edited_file_is_refused(tmp_path: Path, harm: object) -> None:
    path = tmp_path / "h"
    store.write(path, story())
    assert callable(harm)
    with pytest.raises(UsageError, match="was changed after it was written"):
        store.read(rewrite(path, harm(lines(path))))


def test_a_broken_frame_is_refused_or_cut(tmp_path: Path) -> None:
    path = tmp_path / "h"
    store.write(path, synthetic.history(pods=200, nodes=20, gpus=64))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(UsageError, match="was changed"):
        store.read(path)


def test_a_newer_format_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "h"
    store.write(path, story())
    rows = lines(path)
    head = {**json.loads(rows[0]), "format": "muster.history/2"}
    with pytest.raises(UsageError, match=r"muster.history/2, which is newer") as caught:
        store.read(rewrite(path, [json.dumps(head).encode() + b"\n", *rows[1:]]))
    assert "muster.history/1" in caught.value.hint


@pytest.mark.parametrize("text", [b"", b"hello", b'{"format":"muster.history/1"}\n'])
def test_a_file_that_is_not_compressed_is_no_history(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "h"
    path.write_bytes(text)
    with pytest.raises(UsageError, match="not a history"):
        store.read(path)


@pytest.mark.parametrize("text", [b"[]\n", b"{}\n", b'{"format":"other/1"}\n', b'{"format":"muster.history/x"}\n'])
def test_other_json_is_no_history(tmp_path: Path, text: bytes) -> None:
    with pytest.raises(UsageError, match="not a history"):
        store.read(rewrite(tmp_path / "h", [text]))


def test_a_missing_file_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        store.read(tmp_path / "nothing")
