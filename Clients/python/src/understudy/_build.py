"""Converts JSON to typed values, and keeps unknown fields as they are: the program may be newer than this package."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from understudy._values import from_json

T = TypeVar("T")


# The reader of each field of a dataclass, and whether the field has a default; `raw` holds all of the JSON.
_Shape = dict[str, tuple[Callable[[Any], Any], bool]]
_shapes: dict[type[Any], _Shape] = {}


def _shape(cls: type[Any]) -> _Shape:
    if (known := _shapes.get(cls)) is None:
        hints, missing = typing.get_type_hints(cls), dataclasses.MISSING
        known = _shapes[cls] = {
            field.name: (_reader(hints[field.name]), (field.default, field.default_factory) != (missing, missing))
            for field in dataclasses.fields(cls)
            if field.name != "raw"
        }
    return known


def _reader(hint: Any) -> Callable[[Any], Any]:
    """Returns the function that converts a JSON value to a type."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return lambda json: build(hint, json) if isinstance(json, Mapping) else json
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        inner = [argument for argument in arguments if argument is not type(None)]
        return _reader(inner[0]) if len(inner) == 1 else _same
    if origin is tuple:
        element = _reader(arguments[0])
        return lambda json: tuple(map(element, json)) if isinstance(json, list) else ()
    if hint is float:
        return lambda json: float(json) if isinstance(json, int) and not isinstance(json, bool) else json
    return from_json if hint is Any else _same


def _same(json: Any) -> Any:
    return json


def build(cls: type[T], json: Mapping[str, Any], **more: Any) -> T:
    """Converts a JSON object to a dataclass. Missing fields get their default or None; unknown fields stay in `raw`."""
    values: dict[str, Any] = {}
    for name, (read, has_default) in _shape(cls).items():
        # A field name that is a keyword, or the name of a field that every event has, ends with an underscore.
        key = name.rstrip("_")
        if key in json:
            values[name] = read(json[key])
        elif not has_default:
            values[name] = read(None)
    return cls(**{**values, "raw": json, **more})
