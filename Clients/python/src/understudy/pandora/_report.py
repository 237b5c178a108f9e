"""What the centrals of the reference device hear, as Pandora's responses."""

from __future__ import annotations

from pandora.host_pb2 import DISCOVERABLE_GENERAL, DISCOVERABLE_LIMITED, DataTypes, InquiryResponse, ScanningResponse

from understudy._event import Event
from understudy.central import Sighting
from understudy.central._sighting import structures_of
from understudy.pandora._data import (
    APPEARANCE,
    CLASS_OF_DEVICE,
    COMPLETE_NAME,
    COMPLETE_SERVICES,
    CONNECTION_INTERVALS,
    FLAGS,
    INCOMPLETE_SERVICES,
    INTERVAL,
    LE_FEATURES,
    MANUFACTURER,
    PUBLIC_TARGETS,
    RANDOM_TARGETS,
    SERVICE_DATA,
    SHORTENED_NAME,
    SOLICITATION,
    TX_POWER,
    URI,
)
from understudy.pandora._link import octets_of

LIMITED, GENERAL = 0x01, 0x02
TEXTS = {SHORTENED_NAME: "shortened_local_name", COMPLETE_NAME: "complete_local_name", URI: "uri"}
OCTETS = {LE_FEATURES: "le_supported_features", MANUFACTURER: "manufacturer_specific_data"}
# Names and lengths.
NUMBERS = {
    TX_POWER: ("tx_power_level", 1),
    CLASS_OF_DEVICE: ("class_of_device", 3),
    APPEARANCE: ("appearance", 2),
    INTERVAL: ("advertising_interval", 2),
}
ADDRESSES = {PUBLIC_TARGETS: "public_target_addresses", RANDOM_TARGETS: "random_target_addresses"}
LISTS = {
    **{kind: (f"incomplete_service_class_uuids{length * 8}", length) for length, kind in INCOMPLETE_SERVICES.items()},
    **{kind: (f"complete_service_class_uuids{length * 8}", length) for length, kind in COMPLETE_SERVICES.items()},
    **{kind: (f"service_solicitation_uuids{length * 8}", length) for length, kind in SOLICITATION.items()},
}
SERVICES = {kind: (f"service_data_uuid{length * 8}", length) for length, kind in SERVICE_DATA.items()}


def response_of(sighting: Sighting) -> ScanningResponse:
    """Returns the response for a sighting, without its PHYs and set."""
    response = ScanningResponse(connectable=sighting.connectable, rssi=sighting.rssi, data=data_of(sighting.structures))
    setattr(response, sighting.address_type, octets_of(sighting.address))
    return response


def inquiry_response_of(found: Event) -> InquiryResponse:
    """Returns the response for an event `found`, which does not have the clock offset."""
    return InquiryResponse(
        address=octets_of(found["address"]),
        class_of_device=found["class_of_device"],
        rssi=found.get("rssi", 0),
        data=data_of(structures_of(bytes.fromhex(found["data"]))),
    )


def data_of(structures: tuple[tuple[int, bytes], ...]) -> DataTypes:
    """Returns the data types of AD structures, without the malformed ones."""
    data = DataTypes()
    for kind, octets in structures:
        if kind in TEXTS:
            setattr(data, TEXTS[kind], octets.decode(errors="replace"))
        elif kind in OCTETS:
            setattr(data, OCTETS[kind], octets)
        elif kind in NUMBERS and len(octets) == NUMBERS[kind][1]:
            setattr(data, NUMBERS[kind][0], int.from_bytes(octets, "little"))
        elif kind in ADDRESSES:
            getattr(data, ADDRESSES[kind]).extend(part[::-1] for part in _parts(octets, 6))
        elif kind in LISTS:
            name, length = LISTS[kind]
            getattr(data, name).extend(_uuid(part) for part in _parts(octets, length))
        elif kind in SERVICES and len(octets) >= SERVICES[kind][1]:
            name, length = SERVICES[kind]
            getattr(data, name)[_uuid(octets[:length])] = octets[length:]
        elif kind == CONNECTION_INTERVALS and len(octets) == 4:
            data.peripheral_connection_interval_min = int.from_bytes(octets[:2], "little")
            data.peripheral_connection_interval_max = int.from_bytes(octets[2:], "little")
        elif kind == FLAGS and octets and octets[0] & (LIMITED | GENERAL):
            is_limited = octets[0] & LIMITED
            data.le_discoverability_mode = DISCOVERABLE_LIMITED if is_limited else DISCOVERABLE_GENERAL
    return data


def _parts(octets: bytes, length: int) -> list[bytes]:
    return [octets[start : start + length] for start in range(0, len(octets) - length + 1, length)]


def _uuid(octets: bytes) -> str:
    digits = octets[::-1].hex().upper()
    if len(octets) < 16:
        return digits
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
