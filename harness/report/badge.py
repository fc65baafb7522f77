"""An SVG badge per profile, which a vendor can put in a README.

It is drawn here and not by a badge service, so it can be published beside the report and never changes by itself.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from harness.report.model import Result

_COLOURS = {Result.SUCCESS: "#1d766a", Result.PARTIAL: "#56657d", Result.UNKNOWN: "#8a5f00", Result.FAILURE: "#bf3b24"}
_WIDE, _NARROW = set("mwMW@%"), set("ijlrtfI.,:;|!'()[] -1")


def badge(label: str, result: Result | str, detail: str = "") -> str:
    """A badge such as `GANG-CORE | success`; detail replaces the word on the right."""
    outcome = Result(result)
    right = detail or str(outcome)
    left_width, right_width = _width(label), _width(right)
    total = left_width + right_width
    name, value = escape(label), escape(right)
    title = escape(f"{label}: {right}", {'"': "&quot;"})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="20" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<clipPath id="r"><rect width="{total}" height="20" rx="4"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left_width}" height="20" fill="#3a4049"/>'
        f'<rect x="{left_width}" width="{right_width}" height="20" fill="{_COLOURS[outcome]}"/></g>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left_width / 2:g}" y="14">{name}</text>'
        f'<text x="{left_width + right_width / 2:g}" y="14" font-weight="bold">{value}</text></g></svg>\n'
    )


def _width(text: str) -> int:
    """The approximate width of the text in pixels in an 11 px sans font, with nine pixels on each side."""
    return round(sum(10.5 if c in _WIDE else 4.6 if c in _NARROW else 7.3 for c in text)) + 18
