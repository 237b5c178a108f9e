"""The Database Hash (Core 5.4 Vol 3 Part G 7.3.1), computed from the attributes that a client discovers and reads."""

from __future__ import annotations

from bumble import att
from bumble.core import UUID
from bumble.crypto import aes_cmac

from support.central import Session

# The hash covers handle, type and value of the first attribute types, and only handle and type of the second.
WITH_VALUE = (0x2800, 0x2801, 0x2802, 0x2803, 0x2900)
WITHOUT_VALUE = (0x2901, 0x2902, 0x2903, 0x2904, 0x2905)


async def attributes(session: Session) -> list[tuple[int, UUID]]:
    """Returns the handle and type of every attribute, by Find Information."""
    found: list[tuple[int, UUID]] = []
    start = 1
    while start <= 0xFFFF:
        response = await session.request(
            att.ATT_Find_Information_Request(starting_handle=start, ending_handle=0xFFFF)
        )
        if isinstance(response, att.ATT_Error_Response):
            assert response.error_code == att.ATT_ATTRIBUTE_NOT_FOUND_ERROR
            break
        assert isinstance(response, att.ATT_Find_Information_Response)
        found += [(handle, UUID.from_bytes(octets)) for handle, octets in response.information]
        start = found[-1][0] + 1
    return found


async def database_hash(session: Session) -> bytes:
    """Returns the expected value of the Database Hash characteristic: least significant octet first."""
    message = b""
    for handle, uuid in await attributes(session):
        if len(uuid.to_bytes()) != 2:
            continue
        number = int.from_bytes(uuid.to_bytes(), "little")
        if number in WITH_VALUE + WITHOUT_VALUE:
            message += handle.to_bytes(2, "little") + uuid.to_bytes()
        if number in WITH_VALUE:
            message += await session.read(handle)
    return aes_cmac(message, bytes(16))[::-1]
