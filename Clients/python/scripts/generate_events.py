#!/usr/bin/env python3
"""Writes src/understudy/events.py from the output of `understudy schema --events`: generate_events.py [EXECUTABLE]."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[3]
TARGET = CHECKOUT / "Clients" / "python" / "src" / "understudy" / "events.py"
TYPES = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "object": "Any"}
# Names that `Event` has with a meaning that differs from the schema's.
OWN = {"kind", "raw", "index", "arrived", "sequence"}
COMMON = {"event", "time", "accessory"}

HEAD = '''"""The kinds of events, each with its fields, as `understudy schema --events` lists them.

Written by scripts/generate_events.py. A field whose name ends in an underscore has it without one in the schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from understudy._event import Event
from understudy._kinds import KINDS, event
from understudy._kinds import kind as _kind

__all__ = ["Event", "KINDS", "event"]
'''


def type_of(schema: dict[str, Any]) -> str:
    if schema.get("type") == "array":
        return f"tuple[{type_of(schema['items'])}, ...]" if "items" in schema else "tuple[Any, ...]"
    return TYPES.get(schema.get("type", ""), "Any")


def class_name(kind: str) -> str:
    return "".join(part.capitalize() for part in kind.split("-"))


def class_text(schema: dict[str, Any]) -> str:
    lines = [f'@_kind("{schema["title"]}")', "@dataclass(frozen=True, kw_only=True, repr=False)"]
    lines += [f"class {class_name(schema['title'])}(Event):", f'    """{schema["description"]}"""']
    fields = []
    for name, field in schema["properties"].items():
        if name in COMMON:
            continue
        hint = type_of(field)
        default = ""
        if name not in schema["required"]:
            hint, default = hint if hint == "Any" else f"{hint} | None", " = None"
        name = f"{name}_" if name in OWN else name
        fields.append(f"    {name}: {hint}{default}  # {field['description']}")
    # The fields that every event has come first.
    return "\n".join([*lines, *([""] if fields else []), *fields])


def text(schema: dict[str, Any]) -> str:
    """Returns the module's text for a schema."""
    return "\n\n\n".join([HEAD.rstrip("\n"), *map(class_text, schema["oneOf"])]) + "\n"


def main() -> None:
    default = os.environ.get("UNDERSTUDY", CHECKOUT / ".build" / "debug" / "understudy")
    executable = sys.argv[1] if len(sys.argv) > 1 else default
    printed = subprocess.run([executable, "schema", "--events"], capture_output=True, check=True).stdout
    TARGET.write_text(text(json.loads(printed)))


if __name__ == "__main__":
    main()
