"""One event of the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# The fields that every event has; the text of an event leaves them out.
_COMMON = frozenset({"event", "time", "accessory"})


@dataclass(frozen=True, kw_only=True, repr=False)
class Event:
    """An event. Its class in `understudy.events` has the fields of its kind; `raw` holds everything that was received.

    An event of an unknown kind is a plain `Event`.
    """

    kind: str
    """The event's name, such as `connected`."""
    raw: Mapping[str, Any] = field(compare=False)
    """The whole event as received."""
    index: int = 0
    """How many events came before it."""
    arrived: float = field(default=0.0, compare=False)
    """When it arrived here, in seconds of `time.monotonic()`."""
    time: float | None = None
    """The time of the event, in seconds since 1970, if the program reports it."""
    accessory: str | None = None
    """The accessory's name, if several run."""
    sequence: int | None = None
    """Its number in the program's event stream, if it was received from there."""
    connection: int | None = None
    """The connection handle."""
    characteristic: str | None = None
    """The characteristic's id in the profile."""
    uuid: str | None = None
    """The characteristic's UUID."""
    value: Any = None
    """The value as the characteristic's format reads it."""
    hex: str | None = None
    """The octets of the value in hexadecimal digits."""

    @property
    def octets(self) -> bytes:
        """The octets of the value."""
        digits = self.hex if self.hex is not None else self.value
        return bytes.fromhex(digits) if isinstance(digits, str) else b""

    def __getitem__(self, name: str) -> Any:
        """Returns a field by its name in JSON."""
        return self.raw[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Returns a field by its name in JSON, or the default if there is none."""
        return self.raw.get(name, default)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.raw.items() if name not in _COMMON)
        return f"{type(self).__name__}({self.kind!r}{', ' if fields else ''}{fields})"

    def __str__(self) -> str:
        """Returns the event as a line: its kind and its fields."""
        fields = ", ".join(f"{name}={_text(value)}" for name, value in self.raw.items() if name not in _COMMON)
        return f"{self.kind:<22} {fields}".rstrip()


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 120 else f"{text[:100]}… ({len(text)} characters)"
