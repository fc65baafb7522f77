"""What every command does with its streams before it prints: colours as asked, and characters that can be shown.

Apart from `terminal.py`, because that needs rich, and the command must start fast.
"""

from __future__ import annotations

import codecs
import io
import sys

PIPED_WIDTH = 240  # columns of a table that a program reads: nothing is cut
IN_ASCII = {"✓": "+", "✗": "x", "…": "...", "·": "-", "–": "-", "—": "-", "→": "->", "×": "x"}

_color = "auto"


def set_color(choice: str) -> None:
    """`auto`, `always` or `never`, for every console from now on."""
    global _color
    _color = choice


def prepare_streams() -> None:
    """Let what cannot show a character get the nearest that it can, and what is written to a closed stream be lost."""
    codecs.register_error("muster", _nearest_text)
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="muster")


def _nearest_text(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(IN_ASCII.get(sign) or ascii(sign)[1:-1] for sign in text), error.end


def color() -> str:
    """What was asked for: `auto`, `always` or `never`."""
    return _color
