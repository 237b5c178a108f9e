"""Values in Python: octets are `bytes`; in JSON they are `{"hex": "0102"}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def from_json(json: Any) -> Any:
    """Converts a value from the program."""
    if isinstance(json, Mapping):
        if set(json) == {"hex"} and isinstance(json["hex"], str):
            try:
                return bytes.fromhex(json["hex"])
            except ValueError:
                pass
        return {name: from_json(value) for name, value in json.items()}
    return [from_json(value) for value in json] if isinstance(json, list) else json


def to_json(value: Any) -> Any:
    """Converts a value for the program."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"hex": bytes(value).hex()}
    if isinstance(value, Mapping):
        return {name: to_json(element) for name, element in value.items()}
    return [to_json(element) for element in value] if isinstance(value, (list, tuple)) else value


def body_of(value: Any) -> dict[str, Any]:
    """Returns the request body for a value: octets as `hex`, everything else in the characteristic's format."""
    json = to_json(value)
    return json if isinstance(value, (bytes, bytearray, memoryview)) else {"value": json}
