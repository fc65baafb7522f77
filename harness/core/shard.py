"""One part of a run that several machines share: `2/8` is the second of eight.

The part of a case or sample follows from its name or number and the number of parts, so no list has to be shared: a CI
matrix starts the same command with another number in each job, and `muster report merge` puts the results together.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from harness.core.errors import UsageError

MOST = 1000


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` (from 1) of `count`; all of it by default."""

    index: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}" if self.count > 1 else ""

    def has_name(self, name: str) -> bool:
        """Whether what is called so belongs to this part."""
        return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % self.count == self.index - 1

    def has_number(self, number: int) -> bool:
        """Whether the item of this number (from 0) belongs to this part."""
        return number % self.count == self.index - 1


WHOLE = Shard()


def parse_shard(text: str, option: str = "--shard") -> Shard:
    """The part that a user names; an empty text is all of it."""
    if not text:
        return WHOLE
    match = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]) <= MOST:
        raise UsageError(
            f"{option}: expected INDEX/COUNT, given {text!r}",
            hint=f"2/8 is the second of eight parts; INDEX is 1 to COUNT, COUNT up to {MOST}.",
        )
    return Shard(int(match[1]), int(match[2]))
