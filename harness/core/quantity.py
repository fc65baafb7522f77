"""Kubernetes resource quantities as whole numbers, so that sums never round.

Every amount becomes an integer count of thousandths of the resource's own unit ("milli"): `500m` of cpu is 500, two
GPUs are 2000, `64Mi` of memory is 67108864000. One rule for all resources keeps overbooking arithmetic exact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

_FORM = re.compile(r"([+-]?[0-9]*\.?[0-9]+)(?:([eE][+-]?[0-9]+)|([numkMGTPE]|[KMGTPE]i)?)")
_SCALE = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "Ti": Fraction(2**40),
    "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
}


@lru_cache(maxsize=4096)
def milli(quantity: str | int | float) -> int:
    """The quantity in thousandths, rounded up as the API server does; ValueError if it is not a quantity."""
    match = _FORM.fullmatch(str(quantity).strip())
    if match is None:
        raise ValueError(f"not a Kubernetes quantity: {quantity!r}")
    number, exponent, suffix = match.groups()
    value = Fraction(number + (exponent or "")) * _SCALE[suffix or ""] * 1000
    return -((-value.numerator) // value.denominator)


def millis(quantities: Mapping[str, str | int | float] | None) -> dict[str, int]:
    """A resource list in thousandths."""
    return {name: milli(amount) for name, amount in (quantities or {}).items()}


def plain(amount: int) -> str:
    """A thousandths amount the way a person writes it: `2`, `500m`."""
    return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"
