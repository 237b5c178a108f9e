"""Pandora's data types as AD structures (Core Specification Supplement Part A)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pandora.host_pb2 import DISCOVERABLE_GENERAL, DISCOVERABLE_LIMITED, DataTypes

from understudy.pandora._calls import Invalid

# Assigned Numbers 2.3, in the order of the structures on the air.
FLAGS, PUBLIC_TARGETS, RANDOM_TARGETS = 0x01, 0x17, 0x18
INCOMPLETE_SERVICES, COMPLETE_SERVICES = {2: 0x02, 4: 0x04, 16: 0x06}, {2: 0x03, 4: 0x05, 16: 0x07}
SOLICITATION, SERVICE_DATA = {2: 0x14, 4: 0x1F, 16: 0x15}, {2: 0x16, 4: 0x20, 16: 0x21}
SHORTENED_NAME, COMPLETE_NAME, TX_POWER, CLASS_OF_DEVICE = 0x08, 0x09, 0x0A, 0x0D
CONNECTION_INTERVALS, APPEARANCE, INTERVAL, URI, LE_FEATURES, MANUFACTURER = 0x12, 0x19, 0x1A, 0x24, 0x27, 0xFF
# Each with the flag BR/EDR Not Supported.
MODES = {DISCOVERABLE_LIMITED: 0x05, DISCOVERABLE_GENERAL: 0x06}
SHORT_NAME_LENGTH = 8
NAMED_POWER = 0


def octets_of_data(data: DataTypes, name: str, interval_ms: float) -> bytes:
    """Returns the AD structures. `name` and `interval_ms` are the accessory's, for data types that include them."""
    structures = [
        *_services(data),
        *_name(data, name),
        *_numbers(data, interval_ms),
        *_service_data(data),
        *_addresses(PUBLIC_TARGETS, data.public_target_addresses),
        *_addresses(RANDOM_TARGETS, data.random_target_addresses),
        *_given(URI, data.uri.encode()),
        *_given(LE_FEATURES, data.le_supported_features),
        *_given(MANUFACTURER, data.manufacturer_specific_data),
    ]
    if data.le_discoverability_mode:
        if data.le_discoverability_mode not in MODES:
            raise Invalid(f"there is no discoverability mode {data.le_discoverability_mode}")
        structures.append((FLAGS, bytes([MODES[data.le_discoverability_mode]])))
    return b"".join(_structure(kind, octets) for kind, octets in structures)


Structures = Iterable[tuple[int, bytes]]


def _structure(kind: int, octets: bytes) -> bytes:
    if len(octets) > 254:
        raise Invalid(f"{len(octets)} octets of AD type 0x{kind:02X} do not fit into a structure of 254")
    return bytes([len(octets) + 1, kind]) + octets


def _given(kind: int, octets: bytes) -> Structures:
    return [(kind, octets)] if octets else []


def _uuid(text: str, length: int) -> bytes:
    try:
        octets = bytes.fromhex(text.replace("-", ""))
    except ValueError:
        octets = b""
    if len(octets) != length:
        raise Invalid(f"{text!r} is not a UUID of {length * 8} bits")
    return octets[::-1]


def _services(data: DataTypes) -> Structures:
    lists = [
        (INCOMPLETE_SERVICES, 2, data.incomplete_service_class_uuids16),
        (COMPLETE_SERVICES, 2, data.complete_service_class_uuids16),
        (INCOMPLETE_SERVICES, 4, data.incomplete_service_class_uuids32),
        (COMPLETE_SERVICES, 4, data.complete_service_class_uuids32),
        (INCOMPLETE_SERVICES, 16, data.incomplete_service_class_uuids128),
        (COMPLETE_SERVICES, 16, data.complete_service_class_uuids128),
        (SOLICITATION, 2, data.service_solicitation_uuids16),
        (SOLICITATION, 4, data.service_solicitation_uuids32),
        (SOLICITATION, 16, data.service_solicitation_uuids128),
    ]
    for kinds, length, uuids in lists:
        yield from _given(kinds[length], b"".join(_uuid(uuid, length) for uuid in uuids))


def _service_data(data: DataTypes) -> Structures:
    maps: list[tuple[int, Mapping[str, bytes]]] = [
        (2, data.service_data_uuid16),
        (4, data.service_data_uuid32),
        (16, data.service_data_uuid128),
    ]
    for length, entries in maps:
        for uuid, octets in sorted(entries.items()):
            yield SERVICE_DATA[length], _uuid(uuid, length) + octets


def _name(data: DataTypes, name: str) -> Structures:
    if data.include_shortened_local_name:
        yield SHORTENED_NAME, name.encode()[:SHORT_NAME_LENGTH].decode(errors="ignore").encode()
    yield from _given(SHORTENED_NAME, (data.shortened_local_name or "").encode())
    complete = name if data.include_complete_local_name else data.complete_local_name
    yield from _given(COMPLETE_NAME, (complete or "").encode())


def _numbers(data: DataTypes, interval_ms: float) -> Structures:
    if data.include_class_of_device:
        raise Invalid("an accessory has no BR/EDR, and therefore no class of device")
    if data.include_tx_power_level:
        yield TX_POWER, _number(NAMED_POWER, 1)
    yield from _present(TX_POWER, data.tx_power_level, 1)
    yield from _present(CLASS_OF_DEVICE, data.class_of_device, 3)
    if shortest := data.peripheral_connection_interval_min:
        longest = data.peripheral_connection_interval_max or shortest
        yield CONNECTION_INTERVALS, _number(shortest, 2) + _number(longest, 2)
    yield from _present(APPEARANCE, data.appearance, 2)
    interval = round(interval_ms / 0.625) if data.include_advertising_interval else data.advertising_interval
    yield from _present(INTERVAL, interval, 2)


def _present(kind: int, value: int | None, length: int) -> Structures:
    return [(kind, _number(value, length))] if value else []


def _number(value: int, length: int) -> bytes:
    try:
        return value.to_bytes(length, "little")
    except OverflowError as error:
        raise Invalid(f"{value} does not fit into {length * 8} bits") from error


def _addresses(kind: int, addresses: Iterable[bytes]) -> Structures:
    octets = b""
    for address in addresses:
        if len(address) != 6:
            raise Invalid(f"an address has 6 octets, not {len(address)}")
        octets += address[::-1]
    return _given(kind, octets)
