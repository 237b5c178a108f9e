"""Tests of an app: Understudy emulates the device that it uses, and Bumble its Bluetooth adapter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bumble_client import Adapter
from thermometer_app import ThermometerApp

from understudy import aio

ACCESSORY = Path(__file__).with_name("thermometer.yaml")
PATIENCE = 10


@pytest.fixture
async def app(aio_accessory: aio.Accessory) -> AsyncIterator[ThermometerApp]:
    """The app, running and connected."""
    async with Adapter(aio_accessory.air.joining[0]) as adapter:
        app = ThermometerApp(adapter)
        task = asyncio.create_task(app.run())
        await asyncio.wait_for(app.until("connected"), PATIENCE)
        await aio_accessory.expect("subscribed", characteristic="temperature", notify=True, within=PATIENCE)
        yield app
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_app_shows_the_temperature(app: ThermometerApp, aio_accessory: aio.Accessory) -> None:
    await aio_accessory.expect("read", characteristic="temperature", value=21.5)
    assert app.readings == [21.5]


async def test_app_warns_once_when_the_kettle_boils(app: ThermometerApp, aio_accessory: aio.Accessory) -> None:
    for celsius in (98.9, 99.0, -5.25):
        await aio_accessory["temperature"].set(celsius)
        await aio_accessory.expect("notified", value=celsius)
    # A write after the notifications: once it has arrived, they have arrived, too.
    await app.set_interval(10)
    assert (app.readings[1:], app.warnings) == ([98.9, 99.0, -5.25], 1)


async def test_app_takes_no_for_an_answer(app: ThermometerApp, aio_accessory: aio.Accessory) -> None:
    assert await app.set_interval(10)
    await aio_accessory.expect("write", characteristic="interval", value=10)
    assert not await app.set_interval(0)
    await aio_accessory.expect("refused")
    assert await aio_accessory["interval"].read() == 10


async def test_app_comes_back(app: ThermometerApp, aio_accessory: aio.Accessory) -> None:
    """The app connects and subscribes again by itself after the device has ended the connection."""
    await aio_accessory.connection((await aio_accessory.connections())[0].connection).disconnect()
    await aio_accessory.expect("disconnected", code=0x16)
    await aio_accessory.expect("subscribed", characteristic="temperature", within=PATIENCE)
    await aio_accessory["temperature"].set(50)
    await aio_accessory.expect("notified", value=50)


@pytest.mark.accessory(ACCESSORY, speed=20)
async def test_app_walks_out_of_range_and_back(app: ThermometerApp, aio_accessory: aio.Accessory) -> None:
    """Neither side disconnects: both detect the loss by the supervision timeout."""
    await aio_accessory.air.impair(reachable=False)
    await aio_accessory.expect("disconnected", code=0x08, within=PATIENCE)
    await aio_accessory.air.clear()
    await aio_accessory.expect("subscribed", characteristic="temperature", within=PATIENCE)


@pytest.mark.accessory(ACCESSORY, impair={"loss": 0.2})
async def test_app_loses_nothing_on_a_bad_radio(app: ThermometerApp, aio_accessory: aio.Accessory) -> None:
    values = [20 + step / 4 for step in range(20)]
    for celsius in values:
        await aio_accessory["temperature"].notify(celsius)
    await app.set_interval(10)
    assert app.readings[1:] == values
