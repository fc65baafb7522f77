"""A badge per profile, which a vendor can put in a README.

It is drawn here and not by a badge service, so it can be published beside the report and never changes by itself.
Beside it is the same as data for shields.io (`https://img.shields.io/endpoint?url=...`), for those who want all of
their badges alike.
"""

from __future__ import annotations

import json
from xml.sax.saxutils import escape

from harness.report.model import Result

_COLOURS = {Result.SUCCESS: "#1d766a", Result.PARTIAL: "#56657d", Result.UNKNOWN: "#8a5f00", Result.FAILURE: "#bf3b24"}
OUT_OF_DATE = "#8a9099"
_WIDE, _NARROW = set("mwMW@%"), set("ijlrtfI.,:;|!'()[] -1")


def badge(label: str, result: Result | str, detail: str = "", *, is_current: bool = True) -> str:
    """A badge such as `GANG-CORE | success`; detail replaces the word on the right."""
    outcome = Result(result)
    right = detail or (str(outcome) if is_current else f"{outcome}, out of date")
    colour = _COLOURS[outcome] if is_current else OUT_OF_DATE
    left_width, right_width = _width(label), _width(right)
    total = left_width + right_width
    name, value = escape(label), escape(right)
    title = escape(f"{label}: {right}", {'"': "&quot;"})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="20" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<clipPath id="r"><rect width="{total}" height="20" rx="4"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left_width}" height="20" fill="#3a4049"/>'
        f'<rect x="{left_width}" width="{right_width}" height="20" fill="{colour}"/></g>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left_width / 2:g}" y="14">{name}</text>'
        f'<text x="{left_width + right_width / 2:g}" y="14" font-weight="bold">{value}</text></g></svg>\n'
    )


def endpoint(label: str, result: Result | str, *, is_current: bool = True) -> str:
    """The badge as the JSON that an endpoint of shields.io returns."""
    outcome = Result(result)
    message, colour = (str(outcome), _COLOURS[outcome]) if is_current else (f"{outcome}, out of date", OUT_OF_DATE)
    data = {"schemaVersion": 1, "label": label, "message": message, "color": colour}
    return json.dumps(data | {"isError": outcome is Result.FAILURE}, indent=1) + "\n"


def _width(text: str) -> int:
    """The approximate width of the text in pixels in an 11 px sans font, with nine pixels on each side."""
    return round(sum(10.5 if c in _WIDE else 4.6 if c in _NARROW else 7.3 for c in text)) + 18
