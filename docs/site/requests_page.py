"""The page of the control API's requests, from its OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

METHODS = ("get", "put", "post", "patch", "delete")
# The same requests once more, for runs with several accessories.
REPEATED = "/v1/accessories/{accessory}"


def kind(schema: dict[str, Any]) -> str:
    """Returns the type of a value in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(dict.fromkeys(kind(part) for part in schema[union]))
    word = schema.get("type", "any")
    if isinstance(word, list):
        return " or ".join(word)
    if word == "array":
        return f"array of {kind(schema.get('items', {}))}"
    limits = [str(schema[key]) for key in ("minimum", "maximum") if key in schema]
    return f"{word}, {limits[0]} to {limits[1]}" if len(limits) == 2 else str(word)


def rows(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yields the fields of a value at any depth: their path, type and meaning."""
    if schema.get("type") == "array":
        yield from rows(schema.get("items", {}), f"{path}[]")
    for union in ("anyOf", "oneOf"):
        for part in schema.get(union, ()):
            yield from rows(part, path)
    for name, field in schema.get("properties", {}).items():
        place = f"{path}.{name}" if path else name
        meaning = field.get("description", "")
        if name in schema.get("required", ()):
            meaning = f"required; {meaning}" if meaning else "required"
        yield place, kind(field), meaning
        yield from rows(field, place)


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def table(head: str, entries: list[tuple[str, str, str]]) -> list[str]:
    lines = ["", f"| {head} | type | meaning |", "|---|---|---|"]
    return lines + [f"| `{cell(name)}` | {cell(of)} | {cell(meaning)} |" for name, of, meaning in dict.fromkeys(entries)] + [""]


def content(place: dict[str, Any], head: str) -> list[str]:
    """Describes the body of a request or a response."""
    lines: list[str] = []
    for media, body in place.get("content", {}).items():
        schema = body.get("schema", {})
        if fields := list(rows(schema)):
            lines += table(f"{head} ({media})", fields)
        else:
            lines += ["", f"{head.capitalize()}: `{media}`, {kind(schema)}.", ""]
    return lines


def request(path: str, method: str, operation: dict[str, Any]) -> list[str]:
    summary = operation["summary"]
    lines = ["", f"### {method.upper()} {path}", "", f"{summary[:1].upper()}{summary[1:]}.", ""]
    if parameters := operation.get("parameters"):
        lines += table(
            "parameter",
            [(each["name"], f"{kind(each['schema'])}, in the {each['in']}", each.get("description", "")) for each in parameters],
        )
    if "requestBody" in operation:
        lines += content(operation["requestBody"], "field of the request")
    refusals = []
    for status, response in operation["responses"].items():
        if status.startswith(("4", "5")):
            refusals.append(f"{status} ({response['description']})")
            continue
        if response["description"] != summary:
            lines += ["", f"{status}: {response['description']}."]
        lines += content(response, "field of the response")
    if refusals:
        lines += ["", f"Refusals: {'; '.join(refusals)}.", ""]
    return lines


def page(document: dict[str, Any]) -> str:
    """Returns the page in Markdown."""
    lines = [
        "# Requests of the control API",
        "",
        "This page lists every request of the [control API](http.md) with its fields, from the OpenAPI document that `understudy schema --openapi`"
        " prints. If several accessories run, the paths of each begin with `/v1/accessories/NAME` instead of `/v1`.",
    ]
    for tag in (each["name"] for each in document["tags"]):
        lines += ["", f"## {tag}"]
        for path, item in document["paths"].items():
            if path.startswith(REPEATED):
                continue
            for method in METHODS:
                if method in item and tag in item[method]["tags"]:
                    lines += request(path, method, item[method])
    lines += ["", "## Schemas"]
    for name, schema in document["components"]["schemas"].items():
        lines += ["", f"### {name}", "", *([schema["description"] + "."] if "description" in schema else []), *table("field", list(rows(schema)))]
    # Summaries refer to sections of the page on the API.
    return "\n".join(lines).replace("](#", "](http.md#") + "\n"
