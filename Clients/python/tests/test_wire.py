"""HTTP and server-sent events, octet for octet."""

from __future__ import annotations

import json

import pytest

from understudy._wire import AnswerReader, Endpoint, MessageReader, request
from understudy.errors import Conflict, NotFound, Refused, Unreachable

SIZED = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a": [1]'
CHUNKED = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n5;x=1\r\n: [1]\r\n0\r\n\r\n'


def fed(octets: bytes, at: int) -> tuple[AnswerReader, bytes]:
    reader = AnswerReader()
    return reader, reader.feed(octets[:at]) + (reader.feed(octets[at:]) if octets[at:] else b"")


@pytest.mark.parametrize("octets", [SIZED, CHUNKED])
def test_answer_in_two_pieces(octets: bytes) -> None:
    for at in range(1, len(octets) + 1):
        reader, body = fed(octets, at)
        assert (reader.status, reader.finished, body) == (200, True, b'{"a": [1]'), at


@pytest.mark.parametrize("octets", [SIZED, CHUNKED])
def test_answer_that_is_cut_off(octets: bytes) -> None:
    # The last chunk is empty: its line means that everything has arrived.
    for at in range(1, octets.rindex(b"0\r\n") if octets is CHUNKED else len(octets)):
        reader, _ = fed(octets[:at], at)
        assert not reader.finished
        with pytest.raises(Unreachable):
            reader.feed(b"")


def test_answer_that_ends_with_its_connection() -> None:
    reader, body = fed(b"HTTP/1.1 200 OK\r\n\r\nabc", 18)
    assert (body, reader.finished) == (b"abc", False)
    reader.feed(b"")
    assert reader.finished


def test_answer_without_a_body() -> None:
    reader, body = fed(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", 5)
    assert (reader.status, reader.finished, body) == (204, True, b"")


def test_something_else_answers() -> None:
    with pytest.raises(Unreachable, match="does not speak HTTP"):
        AnswerReader().feed(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")


def test_messages_in_two_pieces() -> None:
    stream = b': heartbeat\n\nid: 7\nevent: read\ndata: {"event":\ndata: "read"}\n\ndata:{"event":"lost"}\n\n'
    for at in range(len(stream)):
        reader = MessageReader()
        messages = [*reader.feed(stream[:at]), *reader.feed(stream[at:])]
        assert messages == [(7, {"event": "read"}), (None, {"event": "lost"})]


def test_request() -> None:
    octets = request(Endpoint("::1", 80, "secret"), "PUT", "/v1/x", b"{}")
    head, _, body = octets.decode().partition("\r\n\r\n")
    assert head.split("\r\n") == [
        "PUT /v1/x HTTP/1.1",
        "Host: [::1]:80",
        "Content-Length: 2",
        "Connection: close",
        "Content-Type: application/json",
        "Authorization: Bearer secret",
    ]
    assert body == "{}"


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:8080/"])
def test_endpoint(url: str) -> None:
    assert Endpoint.parse(url) == Endpoint("127.0.0.1", 8080)


@pytest.mark.parametrize("url", ["https://127.0.0.1:8080", "127.0.0.1", ""])
def test_no_endpoint(url: str) -> None:
    with pytest.raises(Unreachable):
        Endpoint.parse(url)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (409, {"error": "no client is subscribed"}, Conflict(409, "no client is subscribed")),
        (404, {"error": {"code": "none", "sentence": "a", "hint": "b"}}, NotFound(404, "a", "b", "none")),
        (400, {"error": {"code": "bad", "message": "a"}, "hint": "b"}, Refused(400, "a", "b", "bad")),
        (400, {"error": "a", "hint": "b", "code": "bad"}, Refused(400, "a", "b", "bad")),
        (500, None, Refused(500, "default")),
        (500, ["x"], Refused(500, "default")),
    ],
)
def test_refusals(status: int, body: object, expected: Refused) -> None:
    refused = Refused.of(status, json.loads(json.dumps(body)), "default")
    assert type(refused) is type(expected)
    assert (refused.status, refused.sentence, refused.hint, refused.code, str(refused)) == (
        expected.status,
        expected.sentence,
        expected.hint,
        expected.code,
        str(expected),
    )
