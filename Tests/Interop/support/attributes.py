"""The attribute database as the program describes it, and as a central discovers it, in the same form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bumble.core import UUID
from bumble.gatt import Characteristic

from support.central import Session

PRIMARY_SERVICE = UUID.from_16_bits(0x2800)
SECONDARY_SERVICE = UUID.from_16_bits(0x2801)
CHARACTERISTIC = UUID.from_16_bits(0x2803)

# The names in `describe` for the bits of the Characteristic Properties (Core 5.4 Vol 3 Part G 3.3.1.1).
PROPERTY_BITS = {
    "broadcast": Characteristic.Properties.BROADCAST,
    "read": Characteristic.Properties.READ,
    "write-without-response": Characteristic.Properties.WRITE_WITHOUT_RESPONSE,
    "write": Characteristic.Properties.WRITE,
    "notify": Characteristic.Properties.NOTIFY,
    "indicate": Characteristic.Properties.INDICATE,
    "signed-write": Characteristic.Properties.AUTHENTICATED_SIGNED_WRITES,
    "extended": Characteristic.Properties.EXTENDED_PROPERTIES,
}


@dataclass(frozen=True)
class CharacteristicEntry:
    uuid: UUID
    handle: int
    value_handle: int
    properties: int
    descriptors: tuple[tuple[int, UUID], ...]
    # Not compared, because discovery does not see them.
    id: str | None = field(default=None, compare=False)
    value: bytes | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ServiceEntry:
    uuid: UUID
    handle: int
    end: int
    characteristics: tuple[CharacteristicEntry, ...]
    primary: bool = field(default=True, compare=False)


def described(description: dict[str, Any]) -> list[ServiceEntry]:
    """Returns the database from the JSON of `describe`."""
    return [
        ServiceEntry(
            UUID(service["uuid"]),
            service["handle"],
            service["end"],
            tuple(described_characteristic(entry) for entry in service["characteristics"]),
            service["primary"],
        )
        for service in description["services"]
    ]


def described_characteristic(entry: dict[str, Any]) -> CharacteristicEntry:
    return CharacteristicEntry(
        UUID(entry["uuid"]),
        entry["handle"],
        entry["value_handle"],
        sum(PROPERTY_BITS[name] for name in entry["properties"]),
        tuple((descriptor["handle"], UUID(descriptor["uuid"])) for descriptor in entry["descriptors"]),
        entry.get("id"),
        None if entry.get("hex") is None else bytes.fromhex(entry["hex"]),
    )


def characteristics(services: list[ServiceEntry]) -> list[CharacteristicEntry]:
    return [characteristic for service in services for characteristic in service.characteristics]


def handles_by_id(description: dict[str, Any]) -> dict[str, int]:
    """Returns the value handle of every characteristic that has an id in the profile."""
    return {entry.id: entry.value_handle for entry in characteristics(described(description)) if entry.id}


def flat(services: list[ServiceEntry]) -> list[tuple[int, UUID]]:
    """Returns every attribute's handle and type, in the order of handles."""
    attributes: list[tuple[int, UUID]] = []
    for service in services:
        attributes.append((service.handle, PRIMARY_SERVICE if service.primary else SECONDARY_SERVICE))
        for characteristic in service.characteristics:
            attributes.append((characteristic.handle, CHARACTERISTIC))
            attributes.append((characteristic.value_handle, characteristic.uuid))
            attributes.extend(characteristic.descriptors)
    return attributes


async def discovered(session: Session) -> list[ServiceEntry]:
    """Returns the database from Bumble's own discovery: primary services, characteristics, descriptors."""
    services = await session.peer.discover_services()
    entries = []
    for service in services:
        found = []
        for characteristic in await service.discover_characteristics():
            descriptors = await characteristic.discover_descriptors()
            found.append(
                CharacteristicEntry(
                    characteristic.uuid,
                    # Bumble does not keep the declaration; it comes immediately before the value
                    # (Core 5.4 Vol 3 Part G 3.3), which the comparison of all attributes checks.
                    characteristic.handle - 1,
                    characteristic.handle,
                    int(characteristic.properties),
                    tuple((descriptor.handle, descriptor.type) for descriptor in descriptors),
                )
            )
        entries.append(ServiceEntry(service.uuid, service.handle, service.end_group_handle, tuple(found)))
    return entries
