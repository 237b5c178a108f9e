"""A server's attributes as values, and their discovery."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bumble import att
from bumble.core import UUID

from understudy.central._errors import ATTFailure, CentralError

PRIMARY, SECONDARY, INCLUDE, CHARACTERISTIC = (UUID.from_16_bits(code) for code in (0x2800, 0x2801, 0x2802, 0x2803))
DATABASE_HASH = UUID.from_16_bits(0x2B2A)
LAST = 0xFFFF

PROPERTIES = {
    0x01: "broadcast",
    0x02: "read",
    0x04: "write-without-response",
    0x08: "write",
    0x10: "notify",
    0x20: "indicate",
    0x40: "authenticated-signed-writes",
    0x80: "extended-properties",
}
"""Characteristic Properties (Core 5.4 Vol 3 Part G 3.3.1.1), with the names that bleak and BlueZ share."""

Request = Callable[[att.ATT_PDU], Awaitable[att.ATT_PDU]]
"""Sends an ATT request and returns its response, including an Error Response."""


def long_uuid(octets: bytes) -> str:
    """Returns a UUID of 2, 4 or 16 octets in its long form, in lower case."""
    return str(uuid.UUID(bytes=UUID.from_bytes(octets).to_bytes(force_128=True)[::-1]))


def assigned(code: int) -> str:
    """Returns the long form of an assigned UUID of 16 bits."""
    return f"0000{code:04x}-0000-1000-8000-00805f9b34fb"


CONFIGURATION = assigned(0x2902)
SERVICE_CHANGED = assigned(0x2A05)


@dataclass(frozen=True)
class Descriptor:
    """A characteristic descriptor."""

    handle: int
    uuid: str


@dataclass(frozen=True)
class Characteristic:
    """A characteristic; `handle` is that of its declaration, `value_handle` that of its value."""

    handle: int
    value_handle: int
    uuid: str
    bits: int
    descriptors: tuple[Descriptor, ...]

    @property
    def properties(self) -> list[str]:
        """The names of its properties."""
        return [name for bit, name in PROPERTIES.items() if self.bits & bit]

    @property
    def configuration(self) -> Descriptor | None:
        """Its Client Characteristic Configuration descriptor."""
        return next((one for one in self.descriptors if one.uuid == CONFIGURATION), None)


@dataclass(frozen=True)
class Service:
    """A service; `end` is its last handle, `includes` the handles of the services that it includes."""

    handle: int
    end: int
    uuid: str
    primary: bool
    includes: tuple[int, ...]
    characteristics: tuple[Characteristic, ...]


async def database_hash(request: Request) -> bytes | None:
    """Returns the server's Database Hash (Core 5.4 Vol 3 Part G 7.3), if it has a readable one."""
    answer = await request(
        att.ATT_Read_By_Type_Request(starting_handle=1, ending_handle=LAST, attribute_type=DATABASE_HASH)
    )
    if isinstance(answer, att.ATT_Read_By_Type_Response) and answer.attributes:
        return answer.attributes[0][1]
    return None


async def discover(request: Request) -> tuple[Service, ...]:
    """Discovers all services with everything in them.

    Reads declarations over the whole range of handles, so that a database takes few requests.
    """
    groups = [(*group, True) for group in await _groups(request, PRIMARY)]
    groups += [(*group, False) for group in await _groups(request, SECONDARY)]
    groups.sort()
    included = await _declarations(request, INCLUDE)
    declared = await _declarations(request, CHARACTERISTIC)
    types = await _types(request) if declared else []
    services = []
    for handle, end, kind, primary in groups:
        own = [(at, value) for at, value in declared if handle <= at <= end and len(value) >= 5]
        ends = [at - 1 for at, _ in own[1:]] + [end] * bool(own)
        services.append(
            Service(
                handle,
                end,
                long_uuid(kind),
                primary,
                tuple(int.from_bytes(value[:2], "little") for at, value in included if handle <= at <= end),
                tuple(_characteristic(at, value, last, types) for (at, value), last in zip(own, ends, strict=True)),
            )
        )
    return tuple(services)


def _characteristic(handle: int, declaration: bytes, end: int, types: list[tuple[int, bytes]]) -> Characteristic:
    value_handle = int.from_bytes(declaration[1:3], "little")
    descriptors = tuple(Descriptor(at, long_uuid(kind)) for at, kind in types if value_handle < at <= end)
    return Characteristic(handle, value_handle, long_uuid(declaration[3:]), declaration[0], descriptors)


async def _groups(request: Request, kind: UUID) -> list[tuple[int, int, bytes]]:
    found: list[tuple[int, int, bytes]] = []
    start = 1
    while start <= LAST:
        answer = await request(
            att.ATT_Read_By_Group_Type_Request(starting_handle=start, ending_handle=LAST, attribute_group_type=kind)
        )
        if not isinstance(answer, att.ATT_Read_By_Group_Type_Response):
            # A server may not support secondary services as a group type.
            _check_end(answer, (0x06, 0x10) if kind == SECONDARY else ())
            break
        # Handles must increase, so that a server cannot keep a client busy forever.
        fresh = [entry for entry in answer.attributes if start <= entry[0] <= entry[1]]
        if not fresh:
            break
        found += fresh
        start = max(end for _, end, _ in fresh) + 1
    return found


async def _declarations(request: Request, kind: UUID) -> list[tuple[int, bytes]]:
    found: list[tuple[int, bytes]] = []
    start = 1
    while start <= LAST:
        answer = await request(
            att.ATT_Read_By_Type_Request(starting_handle=start, ending_handle=LAST, attribute_type=kind)
        )
        if not isinstance(answer, att.ATT_Read_By_Type_Response):
            _check_end(answer)
            break
        fresh = [entry for entry in answer.attributes if entry[0] >= start]
        if not fresh:
            break
        found += fresh
        start = max(handle for handle, _ in fresh) + 1
    return found


async def _types(request: Request) -> list[tuple[int, bytes]]:
    """Returns the type of every attribute (Find Information)."""
    found: list[tuple[int, bytes]] = []
    start = 1
    while start <= LAST:
        answer = await request(att.ATT_Find_Information_Request(starting_handle=start, ending_handle=LAST))
        if not isinstance(answer, att.ATT_Find_Information_Response):
            _check_end(answer)
            break
        fresh = [entry for entry in answer.information if entry[0] >= start]
        if not fresh:
            break
        found += fresh
        start = max(handle for handle, _ in fresh) + 1
    return found


def _check_end(answer: att.ATT_PDU, ends: tuple[int, ...] = ()) -> None:
    """Accepts Attribute Not Found, which ends a procedure, and raises any other error."""
    if not isinstance(answer, att.ATT_Error_Response):
        raise CentralError(f"the device answered discovery with {answer.name}")
    if answer.error_code not in (0x0A, *ends):
        raise ATTFailure(int(answer.error_code))
