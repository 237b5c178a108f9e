"""Nordic's Secure DFU as in nrfutil: init packets, and the upload of a package."""

from __future__ import annotations

import hashlib
import struct
import zlib
from dataclasses import dataclass, field

from support.thing import Thing

# Opcodes.
CREATE, RECEIPTS, CHECKSUM, EXECUTE, SELECT, RESPONSE = 1, 2, 3, 4, 6, 0x60
# Types of objects.
COMMAND, DATA = 1, 2
# Results.
SUCCESS, NOT_SUPPORTED, INVALID_PARAMETER, INSUFFICIENT_RESOURCES, INVALID_OBJECT = 1, 2, 3, 4, 5
NOT_PERMITTED, EXTENDED = 8, 0x0B
# Extended errors.
INVALID_INIT, OLD_FIRMWARE, OTHER_HARDWARE, NO_SIGNATURE, OTHER_HASH_TYPE, OTHER_HASH = 4, 5, 6, 8, 9, 0x0C


def varint(number: int) -> bytes:
    digits = bytearray()
    while True:
        number, digit = number >> 7, number & 0x7F
        if not number:
            return bytes([*digits, digit])
        digits.append(digit | 0x80)


def member(number: int, value: int | bytes) -> bytes:
    """Returns a field of Protocol Buffers."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def init_packet(
    image: bytes, *, version: int = 2, hardware: int = 52, signed: bool = True, hash_type: int = 3, size: int | None = None
) -> bytes:
    """Returns an init packet like that of nrfutil's `pkg generate` (dfu-cc.proto), for an application; the signature is any 64 octets."""
    init = (
        member(1, version)
        + member(2, hardware)
        + member(3, varint(0x0101) + varint(0xFFFE))
        + member(4, 0)
        + member(5, 0)
        + member(6, 0)
        + member(7, len(image) if size is None else size)
        # The hash is little endian.
        + member(8, member(1, hash_type) + member(2, hashlib.sha256(image).digest()[::-1]))
        + member(9, 0)
    )
    command = member(1, 1) + member(2, init)
    return member(2, member(1, command) + member(2, 0) + member(3, bytes(64))) if signed else member(1, command)


CHARACTERISTICS = {
    "8EC90001": "control",
    "8EC90002": "packet",
    "8EC90003": "buttonless",
    "8EC90004": "buttonless",
    "A00001A1": "installed",
}


@dataclass
class Device(Thing):
    """A device whose services change with the boot loader."""

    handles: dict[str, int] = field(default_factory=dict)

    def handle(self, name: str) -> int:
        return self.handles[name]

    async def discover(self) -> None:
        await self.session.peer.discover_services()
        await self.session.peer.discover_characteristics()
        self.handles = {
            name: characteristic.handle
            for service in self.session.peer.services
            for characteristic in service.characteristics
            if (name := CHARACTERISTICS.get(characteristic.uuid.to_hex_str()[:8].upper()))
        }


class Refused(Exception):
    """A result other than success, with the octets after it."""

    def __init__(self, octets: bytes) -> None:
        super().__init__(octets.hex())
        self.result = octets[0]
        self.extended = octets[1] if len(octets) > 1 else None


class Updater:
    """Uploads a package through the control point and the packets of a boot loader."""

    def __init__(self, thing: Device, *, packet: int = 244, receipts: int = 0) -> None:
        self.thing = thing
        self.packet = packet
        self.receipts = receipts
        self.seen = thing.so_far("control")

    async def response(self, opcode: int) -> bytes:
        octets = await self.thing.next("control", self.seen)
        self.seen += 1
        assert octets[:2] == bytes([RESPONSE, opcode]), octets.hex()
        if octets[2] != SUCCESS:
            raise Refused(octets[2:])
        return octets[3:]

    async def ask(self, opcode: int, parameters: bytes = b"") -> bytes:
        await self.thing.write("control", bytes([opcode]) + parameters)
        return await self.response(opcode)

    async def select(self, kind: int) -> tuple[int, int, int]:
        """Returns the maximum object length, and the offset and the checksum so far."""
        longest, offset, checksum = struct.unpack("<III", await self.ask(SELECT, bytes([kind])))
        return longest, offset, checksum

    async def create(self, kind: int, size: int) -> None:
        assert await self.ask(CREATE, struct.pack("<BI", kind, size)) == b""

    async def stream(self, data: bytes, *, before: bytes = b"") -> None:
        """Sends octets of an object, and checks each receipt and the checksum at the end."""
        sent = before
        for number, begin in enumerate(range(0, len(data), self.packet), 1):
            part = data[begin : begin + self.packet]
            await self.thing.session.command(self.thing.handle("packet"), part)
            sent += part
            if self.receipts and number % self.receipts == 0:
                assert struct.unpack("<II", await self.response(CHECKSUM)) == (len(sent), zlib.crc32(sent))
        assert struct.unpack("<II", await self.ask(CHECKSUM)) == (len(sent), zlib.crc32(sent))

    async def begin(self) -> None:
        await self.thing.subscribe("control")
        await self.ask(RECEIPTS, struct.pack("<H", self.receipts))

    async def send_init(self, packet: bytes) -> None:
        longest, _, _ = await self.select(COMMAND)
        assert len(packet) <= longest
        await self.create(COMMAND, len(packet))
        await self.stream(packet)
        await self.ask(EXECUTE)

    async def send_image(self, image: bytes, *, until: int | None = None) -> None:
        """Sends the objects from the boot loader's position on; stops before the object at `until`."""
        longest, offset, checksum = await self.select(DATA)
        assert checksum == zlib.crc32(image[:offset])
        for begin in range(offset, len(image) if until is None else until, longest):
            part = image[begin : begin + longest]
            await self.create(DATA, len(part))
            # Receipts are counted separately for each object.
            await self.ask(RECEIPTS, struct.pack("<H", self.receipts))
            await self.stream(part, before=image[:begin])
            await self.ask(EXECUTE)
