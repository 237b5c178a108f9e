"""The configuration of the site: Sphinx with the theme Furo, over the pages that scripts/build-site has collected."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Clients/python/src"))

project = "Understudy"
html_title = "Understudy"
project_copyright = "Apache License 2.0"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
# Links have the anchors that a repository browser gives to headings.
myst_heading_anchors = 6
smartquotes = False

html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_use_index = False
html_domain_indices = False
html_static_path = ["static"]
html_css_files = ["site.css"]
# Browsers let no page that was opened as a file fetch another, which a summary of a result needs.
html_show_search_summary = False

# Docstrings are Markdown as far as they need markup: code in single backticks, and fenced blocks.
default_role = "code"
autodoc_member_order = "bysource"
toc_object_entries = False
autodoc_typehints = "signature"
autodoc_mock_imports = ["pytest"]
# Requests in the style of HTTP without a version, and events on lines of their own.
suppress_warnings = ["misc.highlighting_failure"]


def with_literal_blocks(app: Any, what: str, name: str, subject: Any, options: Any, lines: list[str]) -> None:
    """Turns fenced blocks into literal ones."""
    text, fenced = [], False
    for line in lines:
        if line.lstrip().startswith("```"):
            text += [""] if fenced else ["", f".. code-block:: {line.strip().removeprefix('```') or 'text'}", ""]
            fenced = not fenced
        else:
            text.append(f"   {line}" if fenced else line)
    lines[:] = text


def with_results(
    app: Any, what: str, name: str, subject: Any, options: Any, signature: str, result: str
) -> tuple[str, str]:
    """Shows what an operation returns instead of the plan that carries it out."""
    return signature, re.sub(r"^Plan\[(.*)\]$", r"\1", result or "")


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", with_literal_blocks)
    app.connect("autodoc-process-signature", with_results)
