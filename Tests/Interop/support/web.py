"""A client of the control API, made of the standard library alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from support.events import mistakes
from support.program import executable


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    status, *lines = head.split("\r\n")
    headers = {}
    for line in filter(None, lines):
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return int(status.split()[1]), headers


async def read_chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        yield await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)


@dataclass
class Client:
    host: str
    port: int
    token: str | None = None

    async def open(self, method: str, path: str, body: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}", f"Content-Length: {len(body)}"]
        if body:
            lines.append("Content-Type: application/json")
        if self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        return reader, writer

    async def request(self, method: str, path: str, value: Any = None, timeout: float = 5) -> Answer:
        body = b"" if value is None else json.dumps(value).encode()
        async with asyncio.timeout(timeout):
            reader, writer = await self.open(method, path, body)
            try:
                status, headers = await read_head(reader)
                if headers.get("transfer-encoding") == "chunked":
                    content = b"".join([chunk async for chunk in read_chunks(reader)])
                else:
                    content = await reader.readexactly(int(headers.get("content-length", "0")))
                return Answer(status, headers, content)
            finally:
                writer.close()

    async def get(self, path: str) -> Answer:
        return await self.request("GET", path)

    async def delete(self, path: str) -> Answer:
        return await self.request("DELETE", path)

    async def put(self, path: str, value: Any) -> Answer:
        return await self.request("PUT", path, value)

    async def post(self, path: str, value: Any = None) -> Answer:
        return await self.request("POST", path, value)

    @asynccontextmanager
    async def events(self, path: str) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        """Server-sent events; the answer's head has come when the block is entered."""
        reader, writer = await self.open("GET", path, b"")
        try:
            status, headers = await asyncio.wait_for(read_head(reader), 5)
            assert status == 200
            assert headers["content-type"].startswith("text/event-stream")
            chunked = headers.get("transfer-encoding") == "chunked"
            yield self._messages(read_chunks(reader) if chunked else self._raw(reader))
        finally:
            writer.close()

    @staticmethod
    async def _raw(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
        while octets := await reader.read(4096):
            yield octets

    @staticmethod
    async def _messages(pieces: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
        pending = b""
        async for piece in pieces:
            pending += piece.replace(b"\r\n", b"\n")
            while b"\n\n" in pending:
                message, pending = pending.split(b"\n\n", 1)
                data = [line[5:].strip() for line in message.split(b"\n") if line.startswith(b"data:")]
                if data:
                    event = json.loads(b"\n".join(data))
                    assert mistakes(executable(), event) == []
                    yield event
