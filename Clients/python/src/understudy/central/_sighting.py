"""Assembled advertising reports: the latest data of each device."""

from __future__ import annotations

from dataclasses import dataclass, field

from bumble import hci
from bumble.smp import AddressResolver

from understudy.central._gatt import long_uuid

Report = hci.HCI_LE_Advertising_Report_Event.Report | hci.HCI_LE_Extended_Advertising_Report_Event.Report

# The bits of an extended report's event type (Core 5.4 Vol 4 Part E 7.7.65.13).
CONNECTABLE, SCANNABLE, DIRECTED, SCAN_RESPONSE = 1, 2, 4, 8
DATA_STATUS_SHIFT, MORE_TO_COME = 5, 1
# The event types of a legacy report (7.7.65.2), as bits of an extended report.
LEGACY = {
    0: CONNECTABLE | SCANNABLE,
    1: CONNECTABLE | DIRECTED,
    2: SCANNABLE,
    3: 0,
    4: SCAN_RESPONSE,
}
# More data than any chain of PDUs may carry (Core 5.4 Vol 4 Part E 7.8.57).
LONGEST_DATA = 1650
# How many advertising sets are tracked at a time.
MOST_SETS = 1000


@dataclass(frozen=True)
class Sighting:
    """A device in one advertising event, with its scan response if there was one."""

    address: str
    """`C0:00:00:00:00:01`; the identity address of a bonded device that uses private ones."""
    address_type: str
    """`public` or `random`."""
    on_air: hci.Address
    """The address in the packet, to connect to."""
    rssi: int
    connectable: bool
    structures: tuple[tuple[int, bytes], ...]
    """AD types and their data, in the order of the packets (Core Supplement Part A)."""

    def first(self, *kinds: int) -> bytes | None:
        """Returns the data of the first of these AD types that is present."""
        return next((data for kind in kinds for found, data in self.structures if found == kind), None)

    @property
    def name(self) -> str | None:
        octets = self.first(0x09, 0x08)
        return None if octets is None else octets.decode(errors="replace")

    @property
    def flags(self) -> int | None:
        octets = self.first(0x01)
        return octets[0] if octets else None

    @property
    def tx_power(self) -> int | None:
        octets = self.first(0x0A)
        return int.from_bytes(octets[:1], "little", signed=True) if octets else None

    @property
    def appearance(self) -> int | None:
        octets = self.first(0x19)
        return int.from_bytes(octets[:2], "little") if octets and len(octets) >= 2 else None

    @property
    def service_uuids(self) -> list[str]:
        sizes = {0x02: 2, 0x03: 2, 0x04: 4, 0x05: 4, 0x06: 16, 0x07: 16}
        found: dict[str, None] = {}
        for kind, data in self.structures:
            if size := sizes.get(kind):
                for start in range(0, len(data) - size + 1, size):
                    found[long_uuid(data[start : start + size])] = None
        return list(found)

    @property
    def service_data(self) -> dict[str, bytes]:
        sizes = {0x16: 2, 0x20: 4, 0x21: 16}
        return {
            long_uuid(data[: sizes[kind]]): data[sizes[kind] :]
            for kind, data in self.structures
            if kind in sizes and len(data) >= sizes[kind]
        }

    @property
    def manufacturer_data(self) -> dict[int, bytes]:
        return {
            int.from_bytes(data[:2], "little"): data[2:]
            for kind, data in self.structures
            if kind == 0xFF and len(data) >= 2
        }


def structures_of(octets: bytes) -> tuple[tuple[int, bytes], ...]:
    """Returns the AD structures of advertising data, without truncated and empty ones."""
    found = []
    at = 0
    while at + 1 < len(octets) and (length := octets[at]):
        if at + 1 + length <= len(octets):
            found.append((octets[at + 1], bytes(octets[at + 2 : at + 1 + length])))
        at += 1 + length
    return tuple(found)


@dataclass
class _Heard:
    """The received part of one advertising set of a device."""

    parts: bytes = b""
    advertised: bytes = b""
    responded: bytes = b""
    bits: int = 0
    waits: bool = False
    """Whether its scan response may follow."""


@dataclass
class Tracker:
    """Assembles fragments, and adds scan responses to their advertisements."""

    active: bool = True
    resolver: AddressResolver | None = None
    _sets: dict[tuple[bytes, int, int], _Heard] = field(default_factory=dict)

    def forget(self) -> None:
        """Starts over, as for a new scan."""
        self._sets.clear()

    def report(self, report: Report) -> Sighting | None:
        """Processes a report, and returns the sighting that it completes.

        A scannable advertisement waits for its scan response, or until it is received again.
        """
        if isinstance(report, hci.HCI_LE_Extended_Advertising_Report_Event.Report):
            bits, sid = int(report.event_type), int(report.advertising_sid)
            fragment = bits >> DATA_STATUS_SHIFT & 3
        else:
            bits, sid, fragment = LEGACY.get(int(report.event_type), 0), 0xFF, 0
        key = (bytes(report.address), int(report.address.address_type), sid)
        if key not in self._sets and len(self._sets) >= MOST_SETS:
            del self._sets[next(iter(self._sets))]
        heard = self._sets.setdefault(key, _Heard())
        octets = (heard.parts + report.data)[:LONGEST_DATA]
        heard.parts = octets if fragment == MORE_TO_COME else b""
        if fragment == MORE_TO_COME:
            return None
        if bits & SCAN_RESPONSE:
            heard.responded, heard.waits = octets, False
        else:
            waited = heard.waits
            heard.advertised, heard.bits = octets, bits
            heard.waits = self.active and bool(bits & SCANNABLE)
            if heard.waits and not waited:
                return None
        return self._sighting(report, heard)

    def _sighting(self, report: Report, heard: _Heard) -> Sighting:
        identity = None
        if self.resolver and report.address.is_resolvable:
            identity = self.resolver.resolve(report.address)
        address = identity or report.address
        return Sighting(
            address.to_string(False),
            "public" if address.is_public else "random",
            report.address,
            int(report.rssi),
            bool(heard.bits & CONNECTABLE),
            structures_of(heard.advertised) + structures_of(heard.responded),
        )
