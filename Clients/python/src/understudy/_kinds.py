"""The known kinds of events, and the conversion of an event to its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from understudy._build import build
from understudy._event import Event

KINDS: dict[str, type[Event]] = {}
"""The class of each kind."""
E = TypeVar("E", bound=Event)


def kind(name: str) -> Callable[[type[E]], type[E]]:
    """Registers a class for a kind."""

    def register(cls: type[E]) -> type[E]:
        KINDS[name] = cls
        return cls

    return register


def event(raw: Mapping[str, Any], *, index: int = 0, arrived: float = 0.0, sequence: int | None = None) -> Event:
    """Converts JSON to an event; a plain `Event` if its kind is unknown."""
    name = str(raw.get("event", ""))
    return build(KINDS.get(name, Event), raw, kind=name, index=index, arrived=arrived, sequence=sequence)


def suggestion(word: str, known: Iterable[str]) -> str:
    """Returns a suggestion for an unknown word: the one that was probably meant."""
    nearest = get_close_matches(word, list(known), n=1)
    return f", did you mean {nearest[0]!r}?" if nearest else ""


def fields_of(kind: str) -> frozenset[str] | None:
    """Returns the JSON fields of a kind; None if the kind is unknown."""
    if (cls := KINDS.get(kind)) is None:
        return None
    return frozenset({name.rstrip("_") for name in cls.__annotations__} | {"time", "accessory"})
