"""Damaged, truncated and reordered files: each is refused when it is read, or read as one that was cut off."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import zstandard

from .editing import Pick


@dataclass(frozen=True)
class Damage:
    answer: str  # refused or unknown
    apply: Callable[[bytes, Pick], bytes]

    @property
    def name(self) -> str:
        return self.apply.__name__


FILES: list[Damage] = []


def damage(answer: str) -> Callable[[Callable[[bytes, Pick], bytes]], Callable[[bytes, Pick], bytes]]:
    def register(function: Callable[[bytes, Pick], bytes]) -> Callable[[bytes, Pick], bytes]:
        FILES.append(Damage(answer, function))
        return function

    return register


def lines_of(content: bytes) -> list[bytes]:
    reader = zstandard.ZstdDecompressor().decompressobj()
    return reader.decompress(content).splitlines(keepends=True)


def packed(lines: list[bytes]) -> bytes:
    return zstandard.ZstdCompressor().compress(b"".join(lines))


def swapped(lines: list[bytes], first: int, second: int) -> list[bytes]:
    exchanged = list(lines)
    exchanged[first], exchanged[second] = lines[second], lines[first]
    return exchanged


@damage("refused")
def byte_changed(content: bytes, pick: Pick) -> bytes:
    place = 30 + pick(len(content) - 60)
    return content[:place] + bytes([content[place] ^ 0x40]) + content[place + 1 :]


@damage("refused")
def digit_changed(content: bytes, pick: Pick) -> bytes:
    lines = lines_of(content)
    place = 1 + pick(len(lines) - 2)
    data = json.loads(lines[place])
    data["at"] += 1.0
    return packed([*lines[:place], json.dumps(data).encode() + b"\n", *lines[place + 1 :]])


@damage("refused")
def line_removed(content: bytes, pick: Pick) -> bytes:
    lines = lines_of(content)
    place = 1 + pick(len(lines) - 2)
    return packed([*lines[:place], *lines[place + 1 :]])


@damage("refused")
def line_repeated(content: bytes, pick: Pick) -> bytes:
    lines = lines_of(content)
    place = 1 + pick(len(lines) - 2)
    return packed([*lines[:place], lines[place], *lines[place:]])


@damage("refused")
def lines_swapped(content: bytes, pick: Pick) -> bytes:
    lines = lines_of(content)
    return packed(swapped(lines, place := 1 + pick(len(lines) - 3), place + 1))


@damage("refused")
def lines_reversed(content: bytes, pick: Pick) -> bytes:
    header, *records, footer = lines_of(content)
    return packed([header, *reversed(records), footer])


@damage("refused")
def header_removed(content: bytes, pick: Pick) -> bytes:
    return packed(lines_of(content)[1:])


@damage("refused")
def newer_format(content: bytes, pick: Pick) -> bytes:
    header, *rest = lines_of(content)
    return packed([header.replace(b"muster.history/1", b"muster.history/9"), *rest])


@damage("refused")
def other_digest(content: bytes, pick: Pick) -> bytes:
    *lines, footer = lines_of(content)
    data = json.loads(footer)
    return packed([*lines, json.dumps({**data, "digest": f"sha256:{'0' * 64}"}).encode() + b"\n"])


@damage("refused")
def something_after_the_footer(content: bytes, pick: Pick) -> bytes:
    lines = lines_of(content)
    return packed([*lines, lines[-2]])


@damage("refused")
def not_compressed(content: bytes, pick: Pick) -> bytes:
    return b"".join(lines_of(content))


@damage("unknown")
def cut_between_lines(content: bytes, pick: Pick) -> bytes:
    lines = lines_of(content)
    return packed(lines[: 1 + pick(len(lines) - 1)])


@damage("unknown")
def cut_inside_a_line(content: bytes, pick: Pick) -> bytes:
    text = b"".join(lines_of(content)[:-1])
    return packed([text[: len(text) - 1 - pick(200)]])


@damage("unknown")
def cut_inside_the_compressed_data(content: bytes, pick: Pick) -> bytes:
    return content[: len(content) - 5 - pick(100)]
