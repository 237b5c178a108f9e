"""The pages of the Swift library: one for each module, from the symbol graphs that `make documentation` writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

MODULES = {
    "Understudy": "This page lists what `import Understudy` adds: accessories, their events, the virtual radio, boards.",
    "UnderstudyCore": "This page lists what is common to the program and the tests in Swift.",
    "UnderstudyTesting": "This page lists what `import UnderstudyTesting` adds for tests: accessories and scripted centrals on one radio, in virtual time.",
}
SYMBOL = re.compile(r"(?<!`)``([^`]+)``(?!`)")


def declaration(symbol: dict[str, Any]) -> str:
    return "".join(part["spelling"] for part in symbol["declarationFragments"])


def comment(symbol: dict[str, Any]) -> str:
    """Returns the documentation, with names of symbols as code."""
    text = "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", ()))
    return SYMBOL.sub(lambda match: f"`{match[1].rsplit('/', 1)[-1]}`", text).strip()


def described(symbol: dict[str, Any]) -> list[str]:
    # Members of nested types are shown with the type's name.
    nested = symbol["pathComponents"][1:-1]
    inside = [f"In `{'.'.join(nested)}`:", ""] if nested else []
    return [*inside, "```swift", declaration(symbol), "```", "", comment(symbol), ""]


def place(symbol: dict[str, Any]) -> tuple[str, int]:
    """Returns where a symbol is in the sources."""
    location = symbol.get("location", {"uri": "", "position": {"line": 0}})
    return location["uri"], location["position"]["line"]


def page(module: str, graph: dict[str, Any]) -> str:
    """Returns the page of a module in Markdown: a heading for each type, with its members in the order of the source."""
    members: dict[str, list[dict[str, Any]]] = {}
    for symbol in graph["symbols"]:
        # Operators that the compiler derives say nothing.
        if symbol["kind"]["identifier"] != "swift.func.op":
            members.setdefault(symbol["pathComponents"][0], []).append(symbol)
    lines = [f"# {module}", "", MODULES[module], ""]
    for name in sorted(members):
        # Parts of a type can be in several files: the type comes first, then what is below it.
        own = sorted(members[name], key=lambda symbol: (len(symbol["pathComponents"]) > 1, *place(symbol)))
        lines += [f"## {name}", "", *described(own[0])]
        for symbol in own[1:]:
            lines += described(symbol)
    return "\n".join(lines) + "\n"


def overview(article: str) -> str:
    """Returns the library's own article up to its list of topics."""
    text = article.split("\n## Topics")[0].split("\n", 1)[1]
    return "# The Swift library\n" + SYMBOL.sub(r"`\1`", text) + "\n"


def pages(symbols: Path, article: str) -> dict[str, str]:
    """Returns the pages by their names; none without symbol graphs."""
    graphs = {module: symbols / f"{module}.symbols.json" for module in MODULES}
    if not all(graph.exists() for graph in graphs.values()):
        return {}
    named = {f"swift-{module.lower()}": page(module, json.loads(graph.read_text())) for module, graph in graphs.items()}
    listed = "".join(f"- [{module}](swift-{module.lower()}.md): {about}\n" for module, about in MODULES.items())
    return {"swift-library": overview(article) + "\n## Modules\n\n" + listed, **named}
