"""Escape text for Markdown.

Names come from clusters: they may contain pipes, markup, HTML, or an @name that would notify a person.
"""

from __future__ import annotations

import re

from harness.core.text import text


def cell(value: str) -> str:
    """A table cell: no markup, no mentions, no line breaks."""
    flat = " ".join(text(value).split())
    flat = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|~#])", r"\\\1", flat).replace("@", "@\u200b")


def code(value: str) -> str:
    """Inline code with a fence longer than any run of backticks inside."""
    flat = " ".join(text(value).split())
    fence = "`" * (max((len(run) for run in re.findall(r"`+", flat)), default=0) + 1)
    return f"{fence} {flat} {fence}" if "`" in flat else f"`{flat}`"
