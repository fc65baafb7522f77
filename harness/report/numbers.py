"""Numbers for readers."""

from __future__ import annotations


def number(value: float | None) -> str:
    """A figure with three significant digits."""
    if value is None:
        return "–"
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}".rstrip("0").rstrip(".") or "0"
