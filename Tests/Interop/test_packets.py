"""Packets over the control API: decoded live, and as a growing capture file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from bumble import att, l2cap

from conftest import Stage
from support import btsnoop
from support.controllers import LOOPBACK
from support.program import Program


async def beginning(program: Program, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Sends a request for a stream, and returns what follows the head of the response."""
    port = (await program.event("http"))["port"]
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {LOOPBACK}\r\n\r\n".encode())
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
    assert head.startswith(b"HTTP/1.1 200"), head
    return reader, writer


async def chunk(reader: asyncio.StreamReader) -> bytes:
    """Returns one chunk of a response (RFC 9112 7.1)."""
    size = int(await reader.readline(), 16)
    return (await reader.readexactly(size + 2))[:-2]


async def test_capture_grows_while_packets_pass(virtual: Stage, tmp_path: Path) -> None:
    program = await virtual.run("heart-rate", "--http", f"{LOOPBACK}:0")
    reader, writer = await beginning(program, "/v1/capture")
    session = await virtual.connect()
    handle = await session.handle_of("2A38")
    assert await session.read(handle) == b"\x01"
    octets = b""
    # The controller may still report the packet as completed after it.
    answer = bytes(l2cap.L2CAP_PDU(att.ATT_CID, bytes(att.ATT_Read_Response(attribute_value=b"\x01"))))
    async with asyncio.timeout(30):
        while answer not in octets:
            octets += await chunk(reader)
    writer.close()
    place = tmp_path / "grown.btsnoop"
    place.write_bytes(octets)
    records = btsnoop.read(place)
    request = bytes(att.ATT_Read_Request(attribute_handle=handle))
    assert [record.received for record in records if record.octets.endswith(request)] == [True]
    assert [record.received for record in records if record.octets.endswith(answer)] == [False]
    assert all(first.time <= second.time for first, second in zip(records, records[1:]))


async def test_packets_know_the_profile(virtual: Stage) -> None:
    """Attributes have their names and values their formats although nothing was discovered."""
    program = await virtual.run("heart-rate", "--http", f"{LOOPBACK}:0")
    reader, writer = await beginning(program, "/v1/packets?filter=att.notification")
    session = await virtual.connect()
    await session.subscribe(await session.handle_of("2A37"))
    text = b""
    async with asyncio.timeout(30):
        while b"\n\n" not in text:
            text += await chunk(reader)
    writer.close()
    line = next(line for line in text.decode().split("\n") if line.startswith("data: "))
    packet = json.loads(line.removeprefix("data: "))
    assert (packet["event"], packet["layer"], packet["sent"], packet["name"]) == ("packet", "att", True, "measurement")
    assert "bpm" in packet["text"], packet["text"]
    assert "layers" not in packet
