"""The services of the shipped profiles behave according to their specifications."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta

import pytest
from bumble import att

from conftest import Stage
from support.program import SHIPPED_PROFILES

HEART_RATE = SHIPPED_PROFILES / "heart-rate.yaml"
BATTERY = SHIPPED_PROFILES / "battery.yaml"
CURRENT_TIME = SHIPPED_PROFILES / "current-time.yaml"

CONTROL_POINT_NOT_SUPPORTED = 0x80


def energy_of(measurement: bytes) -> int | None:
    """Returns the Energy Expended field of a Heart Rate Measurement, in kJ."""
    flags = measurement[0]
    if not flags & 0x08:
        return None
    return struct.unpack_from("<H", measurement, 3 if flags & 0x01 else 2)[0]


def rate_of(measurement: bytes) -> int:
    return struct.unpack_from("<H", measurement, 1)[0] if measurement[0] & 0x01 else measurement[1]


async def test_heart_rate_measurements(stage: Stage) -> None:
    await stage.run(HEART_RATE)
    session = await stage.connect(mtu=517)
    measurement = await session.handle_of("2A37")
    await session.subscribe(measurement)
    arrivals = await session.arrivals(3, measurement)
    # Once a second; the tolerance is for a busy machine.
    duration = arrivals[-1][0] - arrivals[0][0]
    assert 1.4 < duration < 3.0
    assert all(30 <= rate_of(pdu.attribute_value) <= 220 for _, pdu in arrivals)
    # The measurement itself cannot be read.
    assert await session.error(att.ATT_Read_Request(attribute_handle=measurement)) == att.ATT_READ_NOT_PERMITTED_ERROR


async def test_heart_rate_control_point(stage: Stage) -> None:
    await stage.run(HEART_RATE)
    session = await stage.connect(mtu=517)
    control_point = await session.handle_of("2A39")
    await session.write(control_point, b"\x01")
    for value in (b"\x00", b"\x02", b"\xff"):
        request = att.ATT_Write_Request(attribute_handle=control_point, attribute_value=value)
        assert await session.error(request) == CONTROL_POINT_NOT_SUPPORTED
    # After the reset the energy is (almost) zero.
    measurement = await session.handle_of("2A37")
    await session.subscribe(measurement)
    ((_, pdu),) = await session.arrivals(1, measurement)
    energy = energy_of(pdu.attribute_value)
    assert energy is None or energy <= 1


async def test_body_sensor_location(virtual: Stage) -> None:
    await virtual.run(HEART_RATE)
    session = await virtual.connect()
    (location,) = await session.read(await session.handle_of("2A38"))
    assert location <= 6


async def test_battery_level(stage: Stage) -> None:
    await stage.run(BATTERY)
    session = await stage.connect()
    (level,) = await session.read(await session.handle_of("2A19"))
    assert 0 <= level <= 100


# Etc/GMT-3 is three hours east; the zone's name has POSIX's sign.
@pytest.mark.parametrize("zone", ["UTC", "Etc/GMT-3"])
async def test_current_time(virtual: Stage, zone: str) -> None:
    await virtual.run(CURRENT_TIME, environment={"TZ": zone})
    session = await virtual.connect()
    handle = await session.handle_of("2A2B")
    zone_steps, dst_steps = struct.unpack("<bB", await session.read(await session.handle_of("2A0F")))
    assert -48 <= zone_steps <= 56
    assert dst_steps in (0, 2, 4, 8)
    value = await session.read(handle)
    assert len(value) == 10
    offset = timedelta(minutes=15 * (zone_steps + dst_steps))
    expected = (datetime.now(UTC) + offset).replace(tzinfo=None)
    assert abs(moment(value) - expected) < timedelta(seconds=3)
    assert value[7] == moment(value).isoweekday()


async def test_current_time_ticks(stage: Stage) -> None:
    await stage.run(CURRENT_TIME)
    session = await stage.connect()
    handle = await session.handle_of("2A2B")
    first = moment(await session.read(handle))
    # Reads until one of them is a quarter of a second later; if the clock stands still, the test times out.
    while (later := moment(await session.read(handle))) < first + timedelta(milliseconds=250):
        assert later >= first


def moment(value: bytes) -> datetime:
    """Returns date, time and the fraction of a second of a Current Time."""
    year, month, day, hour, minute, second, _, fraction = struct.unpack_from("<HBBBBBBB", value)
    return datetime(year, month, day, hour, minute, second, fraction * 1_000_000 // 256)
