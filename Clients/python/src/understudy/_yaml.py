"""Writes a profile's keys as YAML. In profiles, quotes mark text, so most words are written without them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

# Words, durations, places, and prefixes such as `hex:`; none of them has a special meaning in YAML itself.
_PLAIN = re.compile(r"[A-Za-z0-9_+](?:[A-Za-z0-9_./%+*()-]|:(?! |$)| (?! |$|#))*")
_LITERAL = re.compile(r"hex:[0-9A-Fa-f ]*|0x[0-9A-Fa-f]+|uuid:\S+|[ui][0-9]{1,2}:-?\w+")
_OTHER_THAN_TEXT = {"true", "false", "null"}


def document(keys: Mapping[str, Any]) -> str:
    """Returns the text of a file with these keys."""
    return "\n".join(_lines(keys)) + "\n"


def _lines(value: Any) -> list[str]:
    if isinstance(value, Mapping) and value:
        lines = []
        for key, entry in value.items():
            # Without a format, only a quoted value is text.
            text = entry if key == "value" and isinstance(entry, str) and not _LITERAL.fullmatch(entry) else None
            inner = [json.dumps(text)] if text is not None else _lines(entry)
            head = f"{_scalar(str(key))}:"
            lines += [f"{head} {inner[0]}"] if _is_short(entry) else [head, *(f"  {line}" for line in inner)]
        return lines
    if _is_list(value) and value:
        lines = []
        for entry in value:
            first, *rest = _lines(entry)
            lines += [f"- {first}", *(f"  {line}" for line in rest)]
        return lines
    return [_scalar(value)]


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))


def _is_short(value: Any) -> bool:
    return not (isinstance(value, Mapping) or _is_list(value)) or not value


def _scalar(value: Any) -> str:
    if isinstance(value, (bytes, bytearray)):
        return f"hex:{bytes(value).hex()}"
    if not isinstance(value, str):
        return json.dumps(list(value) if _is_list(value) else value)
    is_plain = _PLAIN.fullmatch(value) and value.lower() not in _OTHER_THAN_TEXT and not _is_number(value)
    return value if is_plain else json.dumps(value, ensure_ascii=False)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
