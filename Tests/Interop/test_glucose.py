"""The shipped glucose meter: stored records through the Record Access Control Point (Glucose Service 1.0.1)."""

from __future__ import annotations

import asyncio

import pytest

from conftest import Stage
from support.central import Session

MEASUREMENT = "00002A18-0000-1000-8000-00805F9B34FB"
RECORD_ACCESS_CONTROL_POINT = "00002A52-0000-1000-8000-00805F9B34FB"


class Meter:
    """A client of the meter that receives records and responses."""

    def __init__(self, session: Session, measurement: int, point: int) -> None:
        self.session = session
        self.measurement = measurement
        self.point = point

    async def ask(self, *octets: int) -> tuple[list[int], bytes]:
        """Sends a command; returns the sequence numbers that were reported before its response, and the response."""
        records = len(self.session.values(self.measurement))
        responses = len(self.session.values(self.point))
        await self.session.write(self.point, bytes(octets))
        async with asyncio.timeout(30):
            while len(self.session.values(self.point)) == responses:
                await asyncio.sleep(0.01)
        values = self.session.values(self.measurement)[records:]
        return [int.from_bytes(value[1:3], "little") for value in values], self.session.values(self.point)[responses]


@pytest.fixture
async def meter(virtual: Stage) -> Meter:
    await virtual.run("glucose")
    session = await virtual.connect(mtu=185)
    measurement = await session.handle_of(MEASUREMENT)
    point = await session.handle_of(RECORD_ACCESS_CONTROL_POINT)
    await session.subscribe(measurement)
    await session.subscribe(point, 0x0002)
    return Meter(session, measurement, point)


async def test_records(meter: Meter) -> None:
    assert await meter.ask(1, 1) == ([1, 2, 3, 4, 5], bytes([6, 0, 1, 1]))
    assert await meter.ask(1, 3, 1, 4, 0) == ([4, 5], bytes([6, 0, 1, 1]))
    assert await meter.ask(1, 6) == ([5], bytes([6, 0, 1, 1]))
    assert await meter.ask(4, 4, 1, 2, 0, 3, 0) == ([], bytes([5, 0, 2, 0]))
    assert await meter.ask(2, 5) == ([], bytes([6, 0, 2, 1]))
    assert await meter.ask(1, 5) == ([2], bytes([6, 0, 1, 1]))
    assert await meter.ask(3, 0) == ([], bytes([6, 0, 3, 1]))


async def test_refusals(meter: Meter) -> None:
    assert (await meter.ask(9, 1))[1] == bytes([6, 0, 9, 2])
    assert (await meter.ask(1, 0))[1] == bytes([6, 0, 1, 3])
    assert (await meter.ask(1, 7))[1] == bytes([6, 0, 1, 4])
    assert (await meter.ask(1, 4, 1, 3, 0, 2, 0))[1] == bytes([6, 0, 1, 5])
    assert (await meter.ask(1, 3, 1, 9, 0))[1] == bytes([6, 0, 1, 6])
    assert (await meter.ask(1, 3, 2, 9, 0))[1] == bytes([6, 0, 1, 9])
