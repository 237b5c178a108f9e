"""Checks the program's events against the schema that the program prints."""

from __future__ import annotations

import functools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}


@functools.cache
def schemas(executable: Path) -> dict[str, dict[str, Any]]:
    """Returns the schema of every event, by name."""
    environment = {**os.environ, "NO_COLOR": "1"}
    printed = subprocess.run([executable, "schema", "--events"], capture_output=True, check=True, env=environment).stdout
    return {schema["title"]: schema for schema in json.loads(printed)["oneOf"]}


def mistakes(executable: Path, event: dict[str, Any]) -> list[str]:
    """Returns the mistakes in an event according to the JSON Schema."""
    schema = schemas(executable).get(event["event"])
    if schema is None:
        return [f"{event['event']} is not in the list of events"]
    found = [f"{event['event']} lacks {name}" for name in schema["required"] if name not in event]
    for name, value in event.items():
        if (expected := schema["properties"].get(name)) is None:
            found.append(f"{event['event']} has {name}")
        elif "type" in expected and not fits(value, expected):
            found.append(f"{name} of {event['event']} is {value!r}, not {expected['type']}")
    return found


def fits(value: Any, schema: dict[str, Any]) -> bool:
    if not isinstance(value, TYPES[schema["type"]]) or (isinstance(value, bool) and schema["type"] != "boolean"):
        return False
    return all(fits(element, schema["items"]) for element in value) if "items" in schema else True
