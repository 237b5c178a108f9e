"""A proxy for the control API whose responses all end: it cuts endless ones after a moment, as if they were complete."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from support.controllers import LOOPBACK

MOMENT = 0.05


@asynccontextmanager
async def ending(port: int, endless: tuple[str, ...]) -> AsyncIterator[str]:
    """Returns the address of a proxy for the server at `port`; it cuts the responses to GET for these paths."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, EOFError):
            head = await reader.readuntil(b"\r\n\r\n")
            answer, request = await asyncio.open_connection(LOOPBACK, port)
            # One request per connection; its end is the end of the response.
            request.write(with_header(head, b"Connection", b"close"))
            sending = asyncio.create_task(relay(reader, request))
            method, target = head.split(b" ", 2)[:2]
            if method == b"GET" and target.split(b"?")[0].decode("latin-1") in endless:
                await cut(answer, writer)
            else:
                await relay(answer, writer)
            sending.cancel()
            request.close()
        writer.close()

    server = await asyncio.start_server(serve, LOOPBACK, 0)
    yield f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}"
    server.close()


async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while octets := await reader.read(1 << 16):
        writer.write(octets)
        await writer.drain()


async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Relays the head, and the part of the body that arrives in a moment. Removes the chunking, so that the body may end anywhere."""
    head = await reader.readuntil(b"\r\n\r\n")
    if not re.search(rb"(?i)\r\ntransfer-encoding: *chunked\r\n", head):
        writer.write(head)
        return await relay(reader, writer)
    writer.write(with_header(head, b"Transfer-Encoding", None))
    with suppress(TimeoutError):
        async with asyncio.timeout(MOMENT):
            while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
                writer.write((await reader.readexactly(size + 2))[:-2])


def with_header(head: bytes, name: bytes, value: bytes | None) -> bytes:
    """Returns the head of a message with this header instead of others of that name; None only removes them."""
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    lines = [line for line in lines if line.split(b":")[0].lower() != name.lower()]
    lines += [] if value is None else [name + b": " + value]
    return b"\r\n".join([first, *lines]) + b"\r\n\r\n"
