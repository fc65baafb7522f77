"""Files made to hurt: each ends in one message, soon, and with little memory."""

from __future__ import annotations

import contextlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard

from harness.core.errors import UsageError
from harness.core.history import store
from harness.core.history.records import FORMAT, VERSION
from harness.core.untrusted import MOST_BYTES
from harness.report.conformance import dump, report
from harness.report.load import load_run
from harness.report.page import page
from harness.report.verify import load_report, problems

from .sample import CASES as ROWS
from .sample import Tape, case_result, sample_run

HEADER = json.dumps({"format": f"{FORMAT}/{VERSION}", "case": "x"}).encode() + b"\n"
START = "apiVersion: muster.dev/v1\nkind: ConformanceReport\n"


def aliases() -> str:
    """Nine levels of ten references each: a billion values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    return START + "\n".join(lines)


REPORTS = {
    "aliases": aliases(),
    "deep-flow": START + "x: " + "[" * 50_000,
    "deep-block": START + "\n".join(" " * i + "a:" for i in range(300)),
    "huge-number": START + "x: 1" + "0" * 400,
    "endless-number": START + "x: 1" + "0" * 10_000,
    "infinite": START + "x: .inf",
    "no-number": START + "x: .nan",
    "key-twice": START + "outcome: violated\noutcome: pass\n",
    "merge": START + "base: {<<: {a: 1}}\n<<: {outcome: pass}\n",
    "many-values": START + "x:\n" + "- a\n" * 1_000_000,
    "many-keys": START + "\n".join(f"k{i}: 1" for i in range(500_000)),
    "many-anchors": START + "x:\n" + "\n".join(f"- &a{i} b" for i in range(500_000)),
    "many-lists": START + "x: [" + "[]," * 1_000_000 + "]",
    "escape": START + 'x: "\\e]52;c;aGk=\\a"\ny: [',
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_hostile_report_is_refused_at_once(name: str, tmp_path: Path) -> None:
    path = tmp_path / "report.yaml"
    path.write_text(REPORTS[name])
    began = time.monotonic()
    with contextlib.suppress(UsageError):
        assert problems(load_report(path))
    assert time.monotonic() - began < 5


RESULTS = {
    "deep": "[" * 100_000,
    "deep-value": '{"format": "muster.results/1", "x": ' + "[" * 500 + "]" * 500 + "}",
    "infinite": '{"format": "muster.results/1", "started": Infinity}',
    "overflow": '{"format": "muster.results/1", "started": 1e999}',
    "endless-number": '{"format": "muster.results/1", "started": 1' + "0" * 10_000 + "}",
    "many-lists": '{"format": "muster.results/1", "cases": [' + "[]," * 5_000_000 + "[]]}",
    "many-objects": '{"format": "muster.results/1", "cases": [' + "{}," * 5_000_000 + "{}]}",
    "large": '{"format": "muster.results/1", "name": "' + "x" * MOST_BYTES + '"}',
}


@pytest.mark.parametrize("name", RESULTS)
def test_hostile_results_are_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(RESULTS[name])
    with pytest.raises(UsageError):
        load_run(path)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("name",), 7),
        (("started",), 1e18),
        (("started",), "soon"),
        (("cases", 0, "clauses"), [1]),
        (("cases", 0, "figures"), []),
        (("cases", 0, "case"), None),
        (("cases", 0, "verdicts", 0, "reason"), {}),
        (("implementations", 0, "departures"), ["x"]),
        (("implementations", 0, "url"), 3),
    ],
)
def test_results_of_another_shape_are_refused(place: tuple[Any, ...], value: object, tmp_path: Path) -> None:
    data = json.loads(json.dumps(sample_run().as_data()))
    inner = data
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    path = tmp_path / "results.json"
    path.write_text(json.dumps(data))
    with pytest.raises(UsageError, match="has no results of a run"):
        load_run(path)


def compressed(*parts: bytes) -> bytes:
    """The parts in one frame, without ever having all of them in memory."""
    compressor = zstandard.ZstdCompressor(level=1).compressobj()
    return b"".join(compressor.compress(part) for part in parts) + compressor.flush()


def one_line() -> bytes:
    return compressed(HEADER, *([b"x" * (1 << 20)] * 500))


def many_lines() -> bytes:
    record = b'{"at":1,"source":"gap","verb":"lost"}\n'
    return compressed(HEADER, *([record * 10_000] * 1000))


def deep_record() -> bytes:
    return compressed(HEADER, b'{"at":1,"source":"gap","verb":"lost","state":' + b'{"a":' * 900 + b"1" + b"}" * 901)


def deep_header() -> bytes:
    return compressed(b'{"a":' * 100_000 + b"\n")


def many_values() -> bytes:
    record = b'{"at":1,"source":"gap","verb":"lost","state":{"x":[' + b"[]," * 900_000 + b"[]]}}\n"
    return compressed(HEADER, *[record] * 5)


HISTORIES: dict[str, Callable[[], bytes]] = {
    "one-line": one_line,
    "many-lines": many_lines,
    "many-values": many_values,
    "deep-record": lambda: deep_record() + compressed(b"\n"),
    "deep-header": deep_header,
    "deep-footer": lambda: compressed(HEADER, b'{"end":' + b"[" * 100_000 + b"\n"),
    "wide-header": lambda: compressed(b'{"format":[' + b"[]," * 1_300_000 + b"[]]}\n"),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_a_hostile_history_is_refused_within_its_memory(name: str, tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl.zst"
    path.write_bytes(HISTORIES[name]())
    program = (
        "import sys; from pathlib import Path; from harness.core.history import store\n"
        "from harness.core.errors import UsageError\n"
        "try: store.read(Path(sys.argv[1]))\n"
        "except UsageError as error: print(error.message); sys.exit(4)\n"
    )

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))

    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=bounded,
    )
    assert done.returncode == 4, done.stderr


def test_absurd_numbers_do_not_take_the_page_down() -> None:
    history = Tape("x").node(0, "n").submit(0.1, "a", 1, gpus=10**12).bind(0.2, "a-0", "n").act(1, "note").history()
    html = page(sample_run(cases=(case_result(ROWS[0], "volcano@1.14.1"),), planned=1), lambda case: history)
    assert "not a valid history" in html


@pytest.mark.parametrize("url", ["javascript:alert(1)", "//example.org", "http://example.org", "data:text/html,x"])
def test_only_https_is_a_link(url: str, tmp_path: Path) -> None:
    data = report(sample_run())
    data["implementations"][0]["implementation"]["url"] = url
    assert any("url" in problem for problem in problems(data))
    (tmp_path / "report.yaml").write_text(dump(data))


def test_a_history_elsewhere_is_no_link_to_another_host() -> None:
    case = case_result(ROWS[0], "volcano@1.14.1")
    html = page(sample_run(cases=(replace(case, history="//example.org/x"),), planned=1), lambda case: None)
    assert 'href="//' not in html


def test_real_histories_are_far_below_the_limits(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl.zst"
    store.write(path, Tape("x").node(0, "n").submit(0.1, "a", 300).act(1, "note").history())
    assert store.read(path).complete
