"""Filters for sightings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from understudy.central._sighting import Sighting


@dataclass(frozen=True)
class Filter:
    """A filter; all given conditions must be met."""

    uuids: frozenset[str] = frozenset()
    """One of these service UUIDs, in their long form."""
    rssi: int | None = None
    """At least this strength, in dBm."""
    pattern: str = ""
    """How the address or the name begins."""

    def matches(self, sighting: Sighting) -> bool:
        return (
            (not self.uuids or not self.uuids.isdisjoint(sighting.service_uuids))
            and (self.rssi is None or sighting.rssi >= self.rssi)
            and any(text.startswith(self.pattern) for text in (sighting.address, sighting.name or ""))
        )


def shows_pattern(sighting: Sighting, patterns: Sequence[tuple[int, int, bytes]]) -> bool:
    """Returns whether one of the patterns matches: octets at an offset in the data of an AD type."""
    return any(
        kind == wanted and data[start : start + len(octets)] == octets
        for start, wanted, octets in patterns
        for kind, data in sighting.structures
    )
