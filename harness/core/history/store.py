"""Histories on disk.

A verdict made from a damaged file is worse than no verdict. A file that was cut off is read up to the cut and marked
incomplete (every verdict from it is `unknown`). Any other damage (an edited file, a newer format, a file that is no
history) is a `UsageError` that says what was given, what is allowed and what to do.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import zstandard

from harness.core.errors import UsageError
from harness.core.history.records import FORMAT, VERSION, History, Record, record_from_data
from harness.core.untrusted import MOST_VALUES, check_depth, values

_MAGIC = b"\x28\xb5\x2f\xfd"  # every Zstandard frame begins so (RFC 8878, 3.1.1)
_CHUNK = 1 << 20  # bytes read at once; bounds memory beside the records
LEAST_ROOM = 32 << 20  # bytes that any history may have
MOST_EXPANSION = 100  # bytes per compressed byte of a larger one; real histories have 10 to 20
MOST_RECORDS = 100_000  # a hundred times more than the longest case
MOST_LARGE = 20  # times as much in a history of a measurement of load, which people read on purpose
MOST_LINE = 4 << 20  # bytes of one record
MOST_WINDOW = 1 << 25  # bytes of memory that decompressing may ask for
_BLOCK = 2000  # lines between flushes: a file cut off loses no more than these


def write(path: Path, history: History) -> str:
    """Store the history and return its digest; the same records always give the same digest."""
    digest = hashlib.sha256()
    compressor = zstandard.ZstdCompressor(level=3, write_checksum=True)
    with path.open("wb") as file, compressor.stream_writer(file) as out:
        for number, data in enumerate(_lines(history)):
            line = _encode(data)
            digest.update(line)
            out.write(line)
            if number % _BLOCK == 0:
                out.flush(zstandard.FLUSH_BLOCK)
        name = f"sha256:{digest.hexdigest()}"
        if history.complete:
            out.write(_encode({"end": True, "records": len(history.records), "digest": name}))
    return name


def read(path: Path, *, is_large: bool = False) -> History:
    """The stored history; `complete` is False for a file that was cut off, UsageError for any other damage.

    `is_large` allows for one of a load of ten thousand pods, which needs a gigabyte of memory.
    """
    try:
        with path.open("rb") as file:
            return _read(path, file, MOST_LARGE if is_large else 1)
    except OSError as error:
        hint = "Give a file that `muster run` wrote."
        raise UsageError(f"cannot read {path}: {error.strerror}", hint=hint) from error
    except zstandard.ZstdError as error:
        raise _damaged(path, f"its compressed data is broken ({error})") from error


def _read(path: Path, file: IO[bytes], times: int) -> History:
    if file.read(4) != _MAGIC:
        raise UsageError(
            f"{path} is not a history: it is not Zstandard-compressed",
            hint="A history is a `.jsonl.zst` file in the folder of a run; see docs/reference/history.md.",
        )
    file.seek(0)
    room = max(LEAST_ROOM, MOST_EXPANSION * path.stat().st_size)
    reader = zstandard.ZstdDecompressor(max_window_size=MOST_WINDOW).stream_reader(file, read_across_frames=True)
    digest = hashlib.sha256()
    header: Mapping[str, Any] | None = None
    footer: Mapping[str, Any] | None = None
    records: list[Record] = []
    budget = times * MOST_VALUES
    for block in _blocks(path, reader, room):
        if footer is not None:
            raise _damaged(path, "there are lines after its footer")
        lines = block.splitlines(keepends=True)
        budget -= values(block)
        if budget < 0:
            raise _too_large(path, f"it has more than {times * MOST_VALUES} values")
        whole, footer = _split_footer(path, lines)
        if header is None and whole:
            check_depth(whole[0], str(path))
        digest.update(b"".join(whole))
        if header is None and whole:
            header = _header(path, whole.pop(0))
        records += _records(path, whole, len(records) + 2)
        if len(records) > times * MOST_RECORDS:
            raise _too_large(path, f"it has more than {times * MOST_RECORDS} records")
    name = f"sha256:{digest.hexdigest()}"
    if footer is None:
        return History(header or {}, tuple(records), complete=False, digest=name)
    _check(path, footer, len(records), name)
    _check_order(path, records)
    return History(header or {}, tuple(records), digest=name)


def _blocks(path: Path, reader: Any, room: int) -> Iterator[bytes]:
    """Whole lines, about a chunk at a time; a last line without its newline was cut off and is dropped."""
    rest = b""
    while data := reader.read(_CHUNK):
        room -= len(data)
        if room < 0:
            raise _too_large(path, "its content is more than a hundred times larger than the file")
        if len(rest) > MOST_LINE:
            raise _too_large(path, f"it has a line of more than {MOST_LINE} bytes")
        end = data.rfind(b"\n") + 1
        if end == 0:
            rest += data
            continue
        yield rest + data[:end]
        rest = data[end:]


def _split_footer(path: Path, lines: list[bytes]) -> tuple[list[bytes], Mapping[str, Any] | None]:
    for number, line in enumerate(lines):
        if not line.startswith((b'{"digest"', b'{"end"')):
            continue
        check_depth(line, str(path))
        try:
            data = json.loads(line)
        except ValueError as error:
            raise _damaged(path, "its footer is not JSON") from error
        if data.get("end") is True:
            if number + 1 < len(lines):
                raise _damaged(path, "there are lines after its footer")
            return lines[:number], data
    return lines, None


def _header(path: Path, line: bytes) -> Mapping[str, Any]:
    try:
        data = json.loads(line)
        name, _, number = data["format"].partition("/")
        version = int(number)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(
            f"{path} is not a history: its first line is no header",
            hint=f'A history begins with {{"format": "{FORMAT}/{VERSION}", ...}}; see docs/reference/history.md.',
        ) from error
    if name != FORMAT or version < 1:
        raise UsageError(f"{path} is {data['format']!r}, not a history", hint=f"muster reads {FORMAT}/{VERSION}.")
    if version > VERSION:
        raise UsageError(
            f"{path} has format {data['format']}, which is newer than this muster",
            hint=f"This muster reads up to {FORMAT}/{VERSION}; judge the file with a newer muster.",
        )
    return dict(data)


def _records(path: Path, lines: list[bytes], first: int) -> list[Record]:
    """All lines in one go: the decoder shares equal keys within a call, which halves the memory of a history."""
    for line in lines:
        check_depth(line, str(path))
    try:
        rows = json.loads(b"[" + b",".join(lines) + b"]")
        if len(rows) != len(lines):
            raise ValueError("a line holds more than one record")
        return [_shared(record_from_data(row)) for row in rows]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        for number, line in enumerate(lines, start=first):
            try:
                record_from_data(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError):
                raise _damaged(path, f"line {number} is not a record: {line[:80]!r}") from error
        raise _damaged(path, str(error)) from error


def _shared(record: Record) -> Record:
    """The same record with repeated strings shared, which saves memory."""
    share = sys.intern
    return Record(
        record.rev,
        float(record.at),
        share(record.source),
        share(record.verb),
        share(record.kind),
        share(record.namespace),
        share(record.name),
        share(record.uid),
        _CHANGED.setdefault(record.changed, record.changed),
        share(record.by),
        record.state,
    )


_CHANGED: dict[tuple[str, ...], tuple[str, ...]] = {}  # a few dozen combinations of labels, shared by all records


def _check(path: Path, footer: Mapping[str, Any], count: int, digest: str) -> None:
    if footer.get("records") != count:
        raise _damaged(path, f"its footer promises {footer.get('records')} records, it has {count}")
    if footer.get("digest") != digest:
        raise _damaged(path, f"its footer says {footer.get('digest')}, its lines give {digest}")


def _check_order(path: Path, records: list[Record]) -> None:
    last = 0
    for record in records:
        if record.rev is not None:
            if record.rev < last:
                raise _damaged(path, f"revision {record.rev} stands after {last}")
            last = record.rev


def _too_large(path: Path, what: str) -> UsageError:
    return UsageError(f"{path} is no history that muster reads: {what}", hint="Use the file the run wrote.")


def _damaged(path: Path, what: str) -> UsageError:
    return UsageError(
        f"{path} was changed after it was written: {what}",
        hint="Use the file the run wrote, or run the case again; an edited history is not judged.",
    )


def _lines(history: History) -> Iterator[Mapping[str, Any]]:
    yield history.header
    for record in history.records:
        yield record.as_data()


def _encode(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
