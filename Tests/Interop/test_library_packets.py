"""The shipped vendor-specific accessories with packet protocols: a toy drone and a kitchen scale."""

from __future__ import annotations

import asyncio
from functools import reduce
from operator import xor

from conftest import Stage
from support.thing import Thing, play

LANDED, STARTING, FLYING, LANDING = range(4)
DONE, UNKNOWN, WRONG_CHECK, NOT_NOW, WRONG_PARAMETER = range(5)


# The drone: A5, length, command, parameters, exclusive or.


def packet(*content: int) -> bytes:
    body = bytes([0xA5, len(content), *content])
    return body + bytes([reduce(xor, body)])


def answers(thing: Thing) -> list[bytes]:
    return [value for value in thing.session.values(thing.handle("drone-out")) if value[1] == 2]


def telemetry(thing: Thing) -> list[bytes]:
    return [value for value in thing.session.values(thing.handle("drone-out")) if value[2] == 0x86]


async def ask(thing: Thing, *writes: bytes) -> bytes:
    """Returns the answer to a packet that is sent in these writes."""
    before = len(answers(thing))
    for write in writes:
        await thing.command("drone-in", write)
    async with asyncio.timeout(30):
        while len(answers(thing)) == before:
            await asyncio.sleep(0.01)
    return answers(thing)[before]


async def reaches(thing: Thing, state: int, at_least: int = 0) -> bytes:
    async with asyncio.timeout(30):
        while True:
            for value in telemetry(thing)[-1:]:
                if value[4] == state and int.from_bytes(value[5:7], "little") >= at_least:
                    return value
            await asyncio.sleep(0.02)


async def test_drone_flies(virtual: Stage) -> None:
    thing = await play(virtual, "toy-drone")
    await thing.subscribe("drone-out")
    first = await reaches(thing, LANDED)
    # On the ground, 90 %, without steering.
    assert first == packet(0x86, 0, LANDED, 0, 0, 90, 0, 0, 0, 0)
    assert await ask(thing, packet(3, 0, 0, 0, 50)) == packet(0x83, NOT_NOW)
    assert await ask(thing, packet(2)) == packet(0x82, NOT_NOW)
    assert await ask(thing, packet(1)) == packet(0x81, DONE)
    assert await ask(thing, packet(1)) == packet(0x81, NOT_NOW)
    await reaches(thing, FLYING, 100)
    # In three pieces, after noise.
    steer = packet(3, 10, 0xF6, 0, 100)
    assert await ask(thing, b"\x00\xff" + steer[:2], steer[2:5], steer[5:]) == packet(0x83, DONE)
    steered = await reaches(thing, FLYING, 120)
    assert steered[8:12] == bytes([10, 0xF6, 0, 100])
    # Without a packet for 2 s it hovers.
    async with asyncio.timeout(30):
        while telemetry(thing)[-1][8:12] != bytes(4):
            await asyncio.sleep(0.05)
    assert await ask(thing, packet(2)) == packet(0x82, DONE)
    await reaches(thing, LANDING)
    assert await ask(thing, packet(4)) == packet(0x84, DONE)
    await reaches(thing, LANDED)


async def test_drone_refuses(virtual: Stage) -> None:
    thing = await play(virtual, "toy-drone")
    await thing.subscribe("drone-out")
    assert await ask(thing, packet(9)) == packet(0x89, UNKNOWN)
    assert await ask(thing, packet(1)[:-1] + b"\x00") == packet(0x81, WRONG_CHECK)
    assert await ask(thing, packet(3, 0, 0, 0)) == packet(0x83, WRONG_PARAMETER)
    assert await ask(thing, packet(3, 0, 101, 0, 0)) == packet(0x83, WRONG_PARAMETER)
    assert await ask(thing, packet(3, 0, 0, 0x80, 0)) == packet(0x83, WRONG_PARAMETER)
    assert await ask(thing, packet(5)) == packet(0x85, DONE)


async def test_drone_lands_when_it_is_left(virtual: Stage) -> None:
    thing = await play(virtual, "toy-drone")
    await thing.subscribe("drone-out")
    assert await ask(thing, packet(1)) == packet(0x81, DONE)
    await thing.state("starting")
    await thing.session.disconnect()
    await thing.state("landing")
    await thing.state("landed")


# The scale: AA 55, command, length, data, CRC-16/MODBUS.


def crc(data: bytes) -> bytes:
    """Returns the CRC-16/MODBUS: 0x8005 reflected, initial value 0xFFFF."""
    remainder = 0xFFFF
    for octet in data:
        remainder ^= octet
        for _ in range(8):
            remainder = remainder >> 1 ^ (0xA001 if remainder & 1 else 0)
    return remainder.to_bytes(2, "little")


def frame(command: int, data: bytes = b"") -> bytes:
    body = b"\xaa\x55" + bytes([command, len(data)]) + data
    return body + crc(body)


class Scale:
    def __init__(self, thing: Thing) -> None:
        self.thing = thing

    def frames(self, command: int) -> list[bytes]:
        received = self.thing.session.values(self.thing.handle("scale-out"))
        assert all(crc(value[:-2]) == value[-2:] and value[:2] == b"\xaa\x55" for value in received)
        return [value[4:-2] for value in received if value[2] == command]

    async def ask(self, command: int, data: bytes = b"", *, sent: bytes | None = None) -> bytes:
        before = len(self.frames(command | 0x80))
        await self.thing.write("scale-in", frame(command, data) if sent is None else sent)
        async with asyncio.timeout(30):
            while len(self.frames(command | 0x80)) == before:
                await asyncio.sleep(0.01)
        return self.frames(command | 0x80)[before]

    async def shows(self, weight: bytes) -> None:
        async with asyncio.timeout(30):
            while not self.frames(0x80) or self.frames(0x80)[-1] != weight:
                await asyncio.sleep(0.02)


async def test_scale(virtual: Stage) -> None:
    thing = await play(virtual, "kitchen-scale")
    scale = Scale(thing)
    await thing.subscribe("scale-out")
    await scale.shows(b"\x01\x00\x00\x00")
    await thing.press("put")
    # 250.0 g.
    await scale.shows(b"\x01" + (2500).to_bytes(3, "big"))
    # Before that it reported that it was not stable, and rose.
    ways = [int.from_bytes(value[1:], "big") for value in scale.frames(0x80) if not value[0] & 1]
    assert ways and ways == sorted(ways)
    assert await scale.ask(1) == b"\x00"
    await scale.shows(b"\x01\x00\x00\x00")
    await thing.press("take")
    await scale.shows(b"\x05" + (2500).to_bytes(3, "big"))
    assert await scale.ask(2, b"\x01") == b"\x00"
    # 8.8 oz below zero.
    await scale.shows(b"\x07" + (88).to_bytes(3, "big"))
    assert await scale.ask(3, b"\x0a") == b"\x00"
    assert await thing.read("minutes-until-off") == b"\x0a"
    assert await scale.ask(4) == b"\x00\x01\x02\x03"


async def test_scale_errors(virtual: Stage) -> None:
    thing = await play(virtual, "kitchen-scale")
    scale = Scale(thing)
    await thing.subscribe("scale-out")
    assert await scale.ask(9) == b"\x01"
    assert await scale.ask(1, sent=frame(1)[:-1] + b"\x00") == b"\x02"
    wrong = {1: [b"\x00"], 2: [b"\x02", b"", b"\x01\x00"], 3: [b"\x00", b"\x3d", b"\x01\x01"], 4: [b"\x00"]}
    for command, data in [(command, data) for command, each in wrong.items() for data in each]:
        assert await scale.ask(command, data) == b"\x03"
    await thing.press("put")
    assert await scale.ask(1) == b"\x04"
    # In pieces, after stray octets.
    before = len(scale.frames(0x84))
    whole = b"\x00\xaa" + frame(4)
    for place in range(0, len(whole), 3):
        await thing.write("scale-in", whole[place : place + 3])
    async with asyncio.timeout(30):
        while len(scale.frames(0x84)) == before:
            await asyncio.sleep(0.01)
