"""A reader of pcapng files, written from the format's description, independently of the program's code."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
H4_WITH_DIRECTION, AIR = 201, 256


@dataclass
class Interface:
    link_type: int
    name: str
    # (nanoseconds since 1970, octets) of every packet.
    packets: list[tuple[int, bytes]] = field(default_factory=list)


def options(octets: bytes) -> dict[int, bytes]:
    found = {}
    offset = 0
    while offset + 4 <= len(octets):
        code, length = struct.unpack_from("<HH", octets, offset)
        if code == 0:
            break
        found[code] = octets[offset + 4 : offset + 4 + length]
        offset += 4 + (length + 3) // 4 * 4
    return found


def read(path: Path) -> list[Interface]:
    """Returns all interfaces with their packets; the file may still be growing, but its blocks are complete."""
    octets = path.read_bytes()
    interfaces: list[Interface] = []
    offset = 0
    while offset < len(octets):
        kind, length = struct.unpack_from("<II", octets, offset)
        assert length % 4 == 0
        body = octets[offset + 8 : offset + length - 4]
        assert struct.unpack_from("<I", octets, offset + length - 4) == (length,)
        if kind == SECTION:
            assert offset == 0
            assert struct.unpack_from("<IHH", body) == (0x1A2B3C4D, 1, 0)
        elif kind == INTERFACE:
            found = options(body[8:])
            assert found[9] == b"\x09", "times are in nanoseconds"
            interfaces.append(Interface(struct.unpack_from("<H", body)[0], found[2].decode()))
        elif kind == PACKET:
            number, high, low, captured, original = struct.unpack_from("<IIIII", body)
            assert captured == original
            interfaces[number].packets.append((high << 32 | low, body[20 : 20 + captured]))
        offset += length
    return interfaces
