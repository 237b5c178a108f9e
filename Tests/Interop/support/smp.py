"""A client of the Simple Management Protocol, with the small part of CBOR (RFC 8949) that it needs."""

from __future__ import annotations

import asyncio
import hashlib
import struct
from dataclasses import dataclass
from typing import Any

from support.thing import Thing

READ, WRITE = 0, 2
OS, IMAGE = 0, 1
ECHO, RESET, PARAMETERS = 0, 5, 6
STATE, UPLOAD, ERASE = 0, 1, 5


def encode(value: Any) -> bytes:
    match value:
        case bool():
            return b"\xf5" if value else b"\xf4"
        case int():
            return head(0, value) if value >= 0 else head(1, -1 - value)
        case bytes():
            return head(2, len(value)) + value
        case str():
            return head(3, len(value.encode())) + value.encode()
        case list():
            return head(4, len(value)) + b"".join(map(encode, value))
        case dict():
            # Without a length, like clients that use TinyCBOR.
            return b"\xbf" + b"".join(encode(key) + encode(member) for key, member in value.items()) + b"\xff"
    raise TypeError(value)


def head(kind: int, number: int) -> bytes:
    if number < 24:
        return bytes([kind << 5 | number])
    width = next(width for width in (1, 2, 4, 8) if number < 1 << 8 * width)
    return bytes([kind << 5 | 24 + width.bit_length() - 1]) + number.to_bytes(width, "big")


def decode(octets: bytes) -> Any:
    value, rest = item(octets)
    assert rest == b""
    return value


def item(octets: bytes) -> tuple[Any, bytes]:
    kind, number, rest = octets[0] >> 5, octets[0] & 31, octets[1:]
    if kind == 7:
        return {20: False, 21: True, 22: None}[number], rest
    if number >= 24:
        width = 1 << number - 24
        number, rest = int.from_bytes(rest[:width], "big"), rest[width:]
    match kind:
        case 0:
            return number, rest
        case 1:
            return -1 - number, rest
        case 2:
            return rest[:number], rest[number:]
        case 3:
            return rest[:number].decode(), rest[number:]
        case 4:
            members = []
            for _ in range(number):
                member, rest = item(rest)
                members.append(member)
            return members, rest
    fields = {}
    for _ in range(number):
        key, rest = item(rest)
        fields[key], rest = item(rest)
    return fields, rest


def image(version: tuple[int, int, int], size: int) -> bytes:
    """Returns an image like one signed by imgtool: header, code, and a trailer with its SHA-256 (MCUboot's design, "Image Format")."""
    # The magic number, load address, size of the header, of protected entries and of the code, flags, version, padding.
    header = struct.pack("<IIHHIIBBHII", 0x96F3B83D, 0, 32, 0, size, 0, *version, 0, 0)
    body = header + bytes(place * 7 % 256 for place in range(size))
    return body + bytes.fromhex("07692800 10002000") + hashlib.sha256(body).digest()


def hash_of(image: bytes) -> bytes:
    return image[-32:]


@dataclass
class Manager:
    """Sends requests and receives responses: each is an SMP packet from one or more notifications."""

    thing: Thing
    version: int = 1
    sequence: int = 0
    taken: int = 0

    async def ask(self, operation: int, group: int, command: int, fields: Any = None) -> Any:
        body = encode({} if fields is None else fields)
        return decode(await self.exchange(operation, group, command, body))

    async def exchange(self, operation: int, group: int, command: int, body: bytes) -> bytes:
        self.sequence = (self.sequence + 1) % 256
        tail = group.to_bytes(2, "big") + bytes([self.sequence, command])
        packet = bytes([self.version << 3 | operation, 0]) + len(body).to_bytes(2, "big") + tail + body
        size = self.thing.session.connection.att_mtu - 3
        for place in range(0, len(packet), size):
            await self.thing.command("smp-data", packet[place : place + size])
        answer = await self.packet()
        assert answer[:2] == bytes([self.version << 3 | operation + 1, 0]) and answer[4:8] == tail
        return answer[8:]

    async def packet(self) -> bytes:
        async with asyncio.timeout(30):
            while True:
                octets = b"".join(self.thing.session.values(self.thing.handle("smp-data")))[self.taken :]
                if len(octets) >= 8 and len(octets) >= (length := 8 + int.from_bytes(octets[2:4], "big")):
                    self.taken += length
                    return octets[:length]
                await asyncio.sleep(0.005)

    async def images(self) -> list[dict[str, Any]]:
        return (await self.ask(READ, IMAGE, STATE))["images"]

    async def upload(self, image: bytes, *, start: int = 0, stop: int | None = None, part: int = 300) -> dict[str, Any]:
        """Uploads up to `stop`, and returns the last response."""
        answer: dict[str, Any] = {"off": start}
        end = len(image) if stop is None else stop
        while answer["off"] < end:
            fields: dict[str, Any] = {"off": answer["off"], "data": image[answer["off"] :][:part]}
            if answer["off"] == 0:
                fields |= {"len": len(image), "sha": hashlib.sha256(image).digest(), "image": 0}
            answer = await self.ask(WRITE, IMAGE, UPLOAD, fields)
            assert "off" in answer, answer
        return answer

    async def reset(self) -> None:
        """Resets, and reconnects."""
        assert await self.ask(WRITE, OS, RESET) == {}
        await asyncio.wait_for(self.thing.session.disconnected, 30)
        await self.thing.again()
        await self.thing.session.exchange_mtu(247)
        await self.thing.subscribe("smp-data")
        self.taken = 0
