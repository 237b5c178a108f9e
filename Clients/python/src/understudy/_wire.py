"""HTTP/1.1 and server-sent events as octets in and octets out, without input or output of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from understudy.errors import Refused, Unreachable

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True


@dataclass(frozen=True)
class Endpoint:
    """The address of a control API, and its token."""

    host: str
    port: int
    token: str | None = None

    @staticmethod
    def parse(url: str, token: str | None = None) -> Endpoint:
        """Parses `http://HOST:PORT`; the scheme may be left out."""
        parts = urlsplit(url if "//" in url else f"//{url}", scheme="http")
        if parts.scheme != "http" or not parts.hostname or not parts.port:
            raise Unreachable(f"{url!r} is not http://HOST:PORT")
        return Endpoint(parts.hostname, parts.port, token)

    def __str__(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


@dataclass(frozen=True)
class Answer:
    """The response to a request."""

    status: int
    headers: Mapping[str, str]
    """By name, in lower case."""
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    def result(self) -> Any:
        """Returns the body as JSON. Raises `Refused` if the request was refused."""
        try:
            body = self.json if self.body else None
        except ValueError:
            body = None
        if 200 <= self.status < 300:
            return body
        raise Refused.of(self.status, body, f"the program answered with status {self.status}")


def request(endpoint: Endpoint, method: str, path: str, body: bytes, *, keep: bool = False) -> bytes:
    """Returns the octets of a request; `keep` is true if the response is a stream."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {str(endpoint).removeprefix('http://')}"]
    lines += [f"Content-Length: {len(body)}", *([] if keep else ["Connection: close"])]
    lines += ["Content-Type: application/json"] if body else []
    lines += [f"Authorization: Bearer {endpoint.token}"] if endpoint.token else []
    return "\r\n".join([*lines, "", ""]).encode() + body


class AnswerReader:
    """Parses a response as its octets arrive."""

    def __init__(self) -> None:
        self.status = 0
        """The status, once the head is in."""
        self.headers: dict[str, str] = {}
        self.finished = False
        """Whether the whole response has arrived."""
        self._pending = b""
        # The remaining octets of the body or of a chunk; None if only the end of the connection ends the body.
        self._left: int | None = 0
        self._chunked = False

    def feed(self, octets: bytes) -> bytes:
        """Returns the part of the body in these octets. Empty octets mean that the connection has ended."""
        if not octets:
            self.finished = True
            if not self.status or self._chunked or self._left:
                raise Unreachable("the connection ended within an answer")
            return b""
        self._pending += octets
        if not self.status and not self._read_head():
            return b""
        return b"".join(self._body())

    def _read_head(self) -> bool:
        head, end, rest = self._pending.partition(b"\r\n\r\n")
        if not end:
            return False
        first, *lines = head.decode("latin-1").split("\r\n")
        version, _, status = first.partition(" ")
        if not version.startswith("HTTP/1.") or not status[:3].isdigit():
            raise Unreachable(f"what answers does not speak HTTP: {first[:80]!r}")
        for line in lines:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()
        self.status, self._pending = int(status[:3]), rest
        self._chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        length = self.headers.get("content-length")
        self._left = 0 if self._chunked else None if length is None else int(length)
        self.finished = not self._chunked and self._left == 0
        return True

    def _body(self) -> Iterator[bytes]:
        while self._pending and not self.finished:
            if self._chunked and self._left == 0:
                if not self._read_chunk_size():
                    return
                continue
            piece = self._pending if self._left is None else self._pending[: self._left]
            self._pending = self._pending[len(piece) :]
            if self._left is not None:
                self._left -= len(piece)
                self.finished = not self._chunked and self._left == 0
            yield piece

    def _read_chunk_size(self) -> bool:
        """Reads the line before a chunk; the line end of the previous chunk still precedes it."""
        line, end, rest = self._pending.removeprefix(b"\r\n").partition(b"\r\n")
        if not end or not line:
            return False
        self._pending, self._left = rest, int(line.split(b";")[0], 16)
        self.finished = self._left == 0
        return True


class MessageReader:
    """Finds the messages of server-sent events (HTML Living Standard 9.2) in octets as they arrive."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, octets: bytes) -> Iterator[tuple[int | None, Any]]:
        """Returns the id and the JSON of each completed message; skips comments."""
        self._pending += octets.replace(b"\r\n", b"\n")
        while b"\n\n" in self._pending:
            message, self._pending = self._pending.split(b"\n\n", 1)
            fields: dict[bytes, list[bytes]] = {}
            for line in message.split(b"\n"):
                name, _, value = line.partition(b":")
                fields.setdefault(name, []).append(value.removeprefix(b" "))
            if b"data" in fields:
                number = fields.get(b"id", [b""])[-1]
                yield int(number) if number.isdigit() else None, json.loads(b"\n".join(fields[b"data"]))
