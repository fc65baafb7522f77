"""The documentation as a site: `make site` builds it with Sphinx, and every link that leads nowhere is an error.

Sphinx with furo and MyST reads the Markdown as it is. MkDocs Material was the other candidate; it is kept up until
May 2027 only. The site fetches nothing from elsewhere: no fonts, no scripts.
`ci/site` builds it for every version.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from harness.core.version import __version__

ROOT = Path(__file__).parent.parent
_LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)#]*)(#[^)]*)?\)")

project = "muster"
author = "The muster authors"
version = release = __version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
myst_enable_extensions = ["tasklist"]
suppress_warnings = ["misc.highlighting_failure"]  # `{...}` in a Python example
html_theme = "furo"
html_title = f"muster {version}"
html_context = {"versions_from": os.environ.get("MUSTER_DOCS_VERSIONS", "")}  # where ci/site puts versions.html
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "versions.html",
        "sidebar/scroll-end.html",
    ]
}
templates_path = ["templates"]
html_copy_source = False
html_show_sphinx = False
exclude_patterns = ["templates"]


def setup(app: Any) -> None:
    app.connect("source-read", _name_sources)


def _name_sources(app: Any, page: str, content: list[str]) -> None:
    """Turn links to files of the repository into their names, for the site has no sources; each must exist."""
    folder = (ROOT / "docs" / page).parent

    def plain(match: re.Match[str]) -> str:
        target = (folder / match[2]).resolve()
        if target.is_relative_to(ROOT / "docs"):
            return match[0]
        if not target.exists():
            raise FileNotFoundError(f"{page}.md: {match[2]} does not exist")
        return match[1] if match[1].startswith("`") else f"`{match[1]}`"

    content[0] = _LINK.sub(plain, content[0])
