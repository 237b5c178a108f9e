"""Bumble's Service Discovery Protocol against the tests of BLESDP.

`Tests/BLESDPTests/BumbleVectors.swift` has octets that Bumble makes, which the Swift tests read and make too, and responses of our
server, which Bumble's client must understand here. With SDP_VECTORS=write, Bumble's part is written anew.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from bumble import core, sdp
from bumble.sdp import DataElement, ServiceAttribute

VECTORS = Path(__file__).resolve().parents[1] / "BLESDPTests" / "BumbleVectors.swift"
MTU = 48
HANDLES = [0x00010000, 0x00010001]
UUID128 = core.UUID("01020304-0506-0708-090A-0B0C0D0E0F10")


def uuid16(number: int) -> DataElement:
    return DataElement.uuid(core.UUID.from_16_bits(number))


def elements() -> dict[str, DataElement]:
    """The elements of `DataElementTests` that Bumble can make."""
    return {
        "nil": DataElement.nil(),
        "unsigned8": DataElement.unsigned_integer_8(0xFE),
        "unsigned16": DataElement.unsigned_integer_16(0x0102),
        "unsigned32": DataElement.unsigned_integer_32(0x01020304),
        "unsigned64": DataElement.unsigned_integer(0x0102030405060708, 8),
        "signed8": DataElement.signed_integer_8(-2),
        "signed16": DataElement.signed_integer_16(-2),
        "signed32": DataElement.signed_integer_32(-2),
        "signed64": DataElement.signed_integer(-2, 8),
        "uuid16": uuid16(0x0100),
        "uuid32": DataElement.uuid(core.UUID.from_32_bits(0x00010203)),
        "uuid128": DataElement.uuid(UUID128),
        "text": DataElement.text_string(b"Hi"),
        "long-text": DataElement.text_string(b"x" * 300),
        "true": DataElement.boolean(True),
        "nested": DataElement.sequence(
            [DataElement.alternative([DataElement.nil(), DataElement.sequence([])]), DataElement.url("http://a")]
        ),
    }


def pdus() -> dict[str, sdp.SDP_PDU]:
    """The PDUs of `BumbleTests`. Without SDP_ERROR_RSP, whose code Bumble 0.0.236 sends least significant octet first."""
    pattern = DataElement.sequence([uuid16(0x0100), DataElement.uuid(UUID128)])
    attributes = DataElement.sequence([DataElement.unsigned_integer_16(1), DataElement.unsigned_integer_32(0x0004FFFF)])
    return {
        "search-request": sdp.SDP_ServiceSearchRequest(0x1234, pattern, 10, bytes([2, 0xA1, 0xA2])),
        "search-response": sdp.SDP_ServiceSearchResponse(0x1234, 7, HANDLES, bytes([1, 0xA5])),
        "attribute-request": sdp.SDP_ServiceAttributeRequest(0x1234, HANDLES[1], 7, attributes, bytes([0])),
        "attribute-response": sdp.SDP_ServiceAttributeResponse(0x1234, bytes([0x35, 0]), bytes([0])),
        "search-attribute-request": sdp.SDP_ServiceSearchAttributeRequest(0x1234, pattern, 7, attributes, bytes([0])),
        "search-attribute-response": sdp.SDP_ServiceSearchAttributeResponse(0x1234, bytes([0x35, 0]), bytes([1, 9])),
    }


def record(handle: int, service: int, start: int, end: int) -> list[ServiceAttribute]:
    """The record of a GATT service (Core 5.4 Vol 3 Part G 9)."""
    number = DataElement.unsigned_integer_16
    protocols = [
        DataElement.sequence([uuid16(0x0100), number(0x001F)]),
        DataElement.sequence([uuid16(0x0007), number(start), number(end)]),
    ]
    return [
        ServiceAttribute(0x0000, DataElement.unsigned_integer_32(handle)),
        ServiceAttribute(0x0001, DataElement.sequence([uuid16(service)])),
        ServiceAttribute(0x0004, DataElement.sequence(protocols)),
        ServiceAttribute(0x0005, DataElement.sequence([uuid16(0x1002)])),
    ]


def records() -> list[list[ServiceAttribute]]:
    return [record(HANDLES[0], 0x180D, 0x10, 0x15), record(HANDLES[1], 0x180F, 0x16, 0x19)]


class Channel:
    """A channel of a client, whose requests a function answers."""

    def __init__(self, respond) -> None:
        self.respond = respond
        self.sink = None
        self.peer_mtu = MTU

    def write(self, request: bytes) -> None:
        asyncio.get_running_loop().call_soon(lambda: self.sink(self.respond(bytes(request))))


async def queries(client: sdp.Client) -> tuple[list[int], list, list]:
    """Asks for handles, one record and all records."""
    root = [sdp.SDP_PUBLIC_BROWSE_ROOT]
    return (
        await client.search_services(root),
        await client.get_attributes(HANDLES[1], [(0, 0xFFFF)]),
        await client.search_attributes(root, [(0, 0xFFFF)]),
    )


def ask(respond) -> tuple[list[int], list, list]:
    async def run():
        client = sdp.Client(None)
        client.channel = Channel(respond)
        client.channel.sink = client.on_pdu
        return await queries(client)

    return asyncio.run(run())


def conversation() -> list[tuple[bytes, bytes]]:
    """What Bumble's client and Bumble's server say to each other."""
    answers: list[bytes] = []

    class ServerChannel:
        peer_mtu = MTU

        def write(self, response) -> None:
            answers.append(bytes(response))

    server = sdp.Server(None)
    server.service_records = dict(zip(HANDLES, records()))
    server.on_connection(ServerChannel())
    said: list[tuple[bytes, bytes]] = []

    def respond(request: bytes) -> bytes:
        server.on_pdu(request)
        said.append((request, answers[-1]))
        return answers[-1]

    check(ask(respond))
    return said


def check(answers: tuple[list[int], list, list]) -> None:
    handles, one, every = answers
    assert handles == HANDLES
    assert texts(one) == texts(records()[1])
    assert [texts(attributes) for attributes in every] == [texts(attributes) for attributes in records()]


def texts(attributes: list[ServiceAttribute]) -> list[tuple[int, bytes]]:
    return [(attribute.id, bytes(attribute.value)) for attribute in attributes]


def vectors() -> list[str]:
    lines = [f"element {name} {bytes(element).hex()}" for name, element in elements().items()]
    lines += [f"pdu {name} {bytes(pdu).hex()}" for name, pdu in pdus().items()]
    return lines + [f"said {request.hex()} {response.hex()}" for request, response in conversation()]


def read(*kinds: str) -> list[str]:
    lines = [line.strip() for line in VECTORS.read_text().splitlines()]
    return [line for line in lines if line.split(" ")[0] in kinds and line.count(" ") >= 1]


def test_vectors_are_bumbles() -> None:
    if os.environ.get("SDP_VECTORS") == "write":
        text = VECTORS.read_text()
        old = [line for line in text.splitlines() if line.strip() in read("element", "pdu", "said")]
        new = "\n".join("    " + line for line in vectors())
        kept = [line for line in text.splitlines() if line not in old]
        place = next(number for number, line in enumerate(kept) if line.endswith('"""')) + 1
        VECTORS.write_text("\n".join([*kept[:place], new, *kept[place:]]) + "\n")
    assert read("element", "pdu", "said") == vectors()


def test_bumble_reads_our_server() -> None:
    """The lines `ours` are our server's responses to the requests of Bumble's client, in order; the Swift tests compare them too."""
    ours = [bytes.fromhex(line.split(" ")[1]) for line in read("ours")]

    def respond(request: bytes) -> bytes:
        response = ours.pop(0)
        return response[:1] + request[1:3] + response[3:]

    check(ask(respond))
    assert not ours
