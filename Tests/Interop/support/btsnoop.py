"""A reader of btsnoop files, written from the format's description, independently of the program's code."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"btsnoop\0"
VERSION = 1
DATALINK_H4 = 1002
# Microseconds from year 0 to 1970 in the file's calendar.
EPOCH_OFFSET = 0x00DCDDB30F2F8000

RECEIVED = 0x01
COMMAND_OR_EVENT = 0x02


@dataclass(frozen=True)
class Record:
    octets: bytes
    original_length: int
    flags: int
    drops: int
    # Microseconds since 1970.
    time: int

    @property
    def received(self) -> bool:
        """Whether it goes from the controller to the host."""
        return bool(self.flags & RECEIVED)


def read(path: Path) -> list[Record]:
    octets = path.read_bytes()
    assert octets[:8] == MAGIC
    version, datalink = struct.unpack_from(">II", octets, 8)
    assert version == VERSION
    assert datalink == DATALINK_H4
    records = []
    offset = 16
    while offset < len(octets):
        original, included, flags, drops, time = struct.unpack_from(">IIIIq", octets, offset)
        offset += 24
        assert offset + included <= len(octets), "the last record is cut off"
        records.append(Record(octets[offset : offset + included], original, flags, drops, time - EPOCH_OFFSET))
        offset += included
    return records
