"""Beacons and other advertising data derived from values, as a scanner sees them."""

from __future__ import annotations

from bumble.core import UUID, AdvertisingData
from bumble.device import Advertisement

from conftest import Stage
from support.controllers import LOOPBACK
from support.program import SHIPPED_PROFILES
from support.web import Client

EDDYSTONE = UUID("FEAA").to_bytes()
BTHOME = UUID("FCD2").to_bytes()


def service_data(advertisement: Advertisement, service: bytes) -> bytes | None:
    for octets in advertisement.data.get_all(AdvertisingData.Type.SERVICE_DATA_16_BIT_UUID, raw=True):
        if octets[:2] == service:
            return octets[2:]
    return None


async def test_ibeacon(virtual: Stage) -> None:
    await virtual.run(SHIPPED_PROFILES / "ibeacon.yaml", "--set", "major=258")
    central = await virtual.central()
    advertisement = await central.find(virtual.address)
    assert not advertisement.is_connectable
    company = advertisement.data.get(AdvertisingData.Type.MANUFACTURER_SPECIFIC_DATA, raw=True)
    assert company == bytes.fromhex("4c000215e2c56db5dffb48d2b060d0f5a71096e001020002c5")


async def test_eddystone(virtual: Stage) -> None:
    await virtual.run(SHIPPED_PROFILES / "eddystone.yaml")
    central = await virtual.central()
    frames: dict[int, bytes] = {}
    for frame in (0x10, 0x00, 0x20):
        found = await central.find(
            virtual.address, lambda seen, frame=frame: (service_data(seen, EDDYSTONE) or b"\xff")[0] == frame
        )
        frames[frame] = service_data(found, EDDYSTONE) or b""
    assert frames[0x10] == b"\x10\xee\x03example\x01door"
    assert frames[0x00] == bytes.fromhex("00ee001122334455667788990a0b0c0d0e0f0000")

    def telemetry(frame: bytes) -> tuple[int, ...]:
        return tuple(int.from_bytes(frame[at:to], "big") for at, to in ((2, 4), (4, 6), (6, 10), (10, 14)))

    battery, temperature, count, tenths = telemetry(frames[0x20])
    assert battery in range(2990, 3001)
    assert temperature in range(18 << 8, 24 << 8)
    # The counters advance on the air.
    later = await central.find(
        virtual.address,
        lambda seen: (service_data(seen, EDDYSTONE) or b"")[:1] == b"\x20"
        and telemetry(service_data(seen, EDDYSTONE) or b"")[3] > tenths,
    )
    assert telemetry(service_data(later, EDDYSTONE) or b"")[2] > count


async def test_a_sensor_says_what_its_characteristics_say(virtual: Stage) -> None:
    program = await virtual.run(
        SHIPPED_PROFILES / "sensor-beacon.yaml", "--set", "advertising.main.refresh=100ms",
        "--set", "services.environmental-sensing.characteristics.temperature.value=21.5", "--http", f"{LOOPBACK}:0",
    )
    central = await virtual.central()
    advertisement = await central.find(virtual.address, lambda seen: service_data(seen, BTHOME) is not None)
    data = service_data(advertisement, BTHOME) or b""
    assert data[0] == 0x40 and data[1] == 0x00 and data[3:5] == b"\x01\x57"
    assert data[5:8] == b"\x02" + (2150).to_bytes(2, "little")
    assert data[8] == 0x03 and len(data) == 11
    # A changed value is on the air, and the set stays on the air.
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    answer = await client.put("/v1/characteristics/temperature/value", {"value": 19.25})
    assert answer.status == 200
    await central.find(
        virtual.address, lambda seen: (service_data(seen, BTHOME) or b"")[5:8] == b"\x02" + (1925).to_bytes(2, "little")
    )
