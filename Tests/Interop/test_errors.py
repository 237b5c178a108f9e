"""Refused requests, and their errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bumble import att

from conftest import EVERYTHING, Stage
from support.attributes import handles_by_id
from support.program import describe

Handles = dict[str, int]
NOWHERE = 0xFFF0


@pytest.fixture
async def handles() -> Handles:
    return handles_by_id(await describe(EVERYTHING))


def read(handle: int) -> att.ATT_PDU:
    return att.ATT_Read_Request(attribute_handle=handle)


def blob(handle: int, offset: int) -> att.ATT_PDU:
    return att.ATT_Read_Blob_Request(attribute_handle=handle, value_offset=offset)


def write(handle: int, value: bytes) -> att.ATT_PDU:
    return att.ATT_Write_Request(attribute_handle=handle, attribute_value=value)


# The request for the handles of the profile, and the handle and code that its Error Response must have.
CASES: dict[str, tuple[Callable[[Handles], att.ATT_PDU], Callable[[Handles], int], int]] = {
    "read of an unknown handle": (lambda h: read(NOWHERE), lambda h: NOWHERE, 0x01),
    "read of handle 0": (lambda h: read(0), lambda h: 0, 0x01),
    "write of an unknown handle": (lambda h: write(NOWHERE, b"x"), lambda h: NOWHERE, 0x01),
    "blob of an unknown handle": (lambda h: blob(NOWHERE, 0), lambda h: NOWHERE, 0x01),
    "read of a write-only value": (lambda h: read(h["secret"]), lambda h: h["secret"], 0x02),
    "blob of a write-only value": (lambda h: blob(h["secret"], 0), lambda h: h["secret"], 0x02),
    "read of a notify-only value": (lambda h: read(h["ticker"]), lambda h: h["ticker"], 0x02),
    "read multiple with a write-only value": (
        lambda h: att.ATT_Read_Multiple_Request(set_of_handles=[h["twenty"], h["secret"]]),
        lambda h: h["secret"],
        0x02,
    ),
    "write of a read-only value": (lambda h: write(h["twenty"], b"x"), lambda h: h["twenty"], 0x03),
    "write of a declaration": (lambda h: write(h["twenty"] - 1, b"x"), lambda h: h["twenty"] - 1, 0x03),
    "blob beyond the end": (lambda h: blob(h["long"], 513), lambda h: h["long"], 0x07),
    "blob far beyond the end": (lambda h: blob(h["twenty"], 0xFFFF), lambda h: h["twenty"], 0x07),
    "write of 513 octets": (lambda h: write(h["storage"], bytes(513)), lambda h: h["storage"], 0x0D),
}


@pytest.mark.parametrize("case", CASES)
async def test_error(virtual: Stage, handles: Handles, case: str) -> None:
    request, handle, code = CASES[case]
    await virtual.run()
    session = await virtual.connect(mtu=517)
    response = await session.request(request(handles))
    assert isinstance(response, att.ATT_Error_Response), response
    assert response.request_opcode_in_error == request(handles).op_code
    assert response.attribute_handle_in_error == handle(handles)
    assert int(response.error_code) == code
    # The bearer still works.
    assert await session.read(handles["twenty"]) == bytes(range(20))


async def test_errors_on_every_path(stage: Stage, handles: Handles) -> None:
    """The same cases one after another on one connection."""
    await stage.run()
    session = await stage.connect(mtu=517)
    for case, (request, _, code) in CASES.items():
        assert await session.error(request(handles)) == code, case


async def test_blob_at_the_end_is_empty(virtual: Stage, handles: Handles) -> None:
    await virtual.run()
    session = await virtual.connect()
    response = await session.expect(blob(handles["long"], 512))
    assert isinstance(response, att.ATT_Read_Blob_Response)
    assert response.part_attribute_value == b""


async def test_configuration_of_wrong_length(virtual: Stage, handles: Handles) -> None:
    await virtual.run()
    session = await virtual.connect()
    configuration = await session.configuration_of(handles["ticker"])
    assert await session.error(write(configuration, b"\x01\x00\x00")) == att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR
    assert await session.read(configuration) == b"\x00\x00"


async def test_configuration_bits_that_the_characteristic_lacks(virtual: Stage, handles: Handles) -> None:
    await virtual.run()
    session = await virtual.connect()
    configuration = await session.configuration_of(handles["ticker"])
    # The specification leaves the code to the implementation; both codes are suitable.
    for value in (b"\x02\x00", b"\x04\x00"):
        assert await session.error(write(configuration, value)) in (0x13, 0xFD)
    assert await session.read(configuration) == b"\x00\x00"


@pytest.mark.parametrize(
    ("request_octets", "code"),
    [
        # A request opcode that the specification does not use.
        (bytes([0x3E, 0x01, 0x02]), att.ATT_REQUEST_NOT_SUPPORTED_ERROR),
        # A Read Request with half of a handle.
        (bytes([att.Opcode.ATT_READ_REQUEST, 0x01]), att.ATT_INVALID_PDU_ERROR),
    ],
    ids=["unknown", "truncated"],
)
async def test_malformed_request(virtual: Stage, handles: Handles, request_octets: bytes, code: int) -> None:
    await virtual.run()
    session = await virtual.connect()
    response = await session.raw(request_octets)
    assert isinstance(response, att.ATT_Error_Response)
    assert response.request_opcode_in_error == request_octets[0]
    assert response.error_code == code
    assert await session.read(handles["twenty"]) == bytes(range(20))


async def test_unknown_command_gets_no_answer(virtual: Stage, handles: Handles) -> None:
    await virtual.run()
    session = await virtual.connect()
    # The command flag is bit 6 of the opcode (Core 5.4 Vol 3 Part F 3.3.1).
    session.connection.send_l2cap_pdu(att.ATT_CID, bytes([0x7E, 0x01]))
    assert await session.read(handles["twenty"]) == bytes(range(20))
    assert [type(pdu) for pdu in session.responses] == [att.ATT_Read_Response]
