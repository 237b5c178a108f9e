"""Connections: many, repeated, and their end."""

from __future__ import annotations

import asyncio
import signal

import pytest
from bumble import hci

from conftest import EVERYTHING, Stage
from support.attributes import handles_by_id
from support.program import EX_OK, describe


async def test_connection_is_reported(stage: Stage) -> None:
    program = await stage.run()
    central = await stage.central()
    session = await central.connect(stage.address)
    connected = await program.event("connected")
    assert central.device.random_address.to_string(False) in connected["peer"]
    assert isinstance(connected["connection"], int)
    await session.disconnect()
    disconnected = await program.event("disconnected")
    assert disconnected["connection"] == connected["connection"]


@pytest.mark.timeout(60)
async def test_fifty_reconnections(stage: Stage) -> None:
    twenty = handles_by_id(await describe(EVERYTHING))["twenty"]
    program = await stage.run()
    central = await stage.central()
    for _ in range(50):
        session = await central.connect(stage.address)
        assert await session.read(twenty) == bytes(range(20))
        await session.disconnect()
    await program.count("disconnected", 50)
    assert len(program.named("connected")) == 50


async def test_advertising_goes_on_while_connected(stage: Stage) -> None:
    await stage.run()
    await stage.connect()
    observer = await stage.central()
    await observer.find(stage.address)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
async def test_signal_disconnects_and_ends_well(stage: Stage, number: signal.Signals) -> None:
    program = await stage.run()
    sessions = [await stage.connect() for _ in range(2)]
    program.send_signal(number)
    for session in sessions:
        reason = await asyncio.wait_for(session.disconnected, 30)
        # 0x13 user terminated, 0x15 power off; 0x08 would be a link that was dropped silently.
        assert reason in (
            hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR,
            hci.HCI_REMOTE_DEVICE_TERMINATED_CONNECTION_DUE_TO_POWER_OFF_ERROR,
        )
    assert await program.wait(5) == EX_OK


async def test_signal_without_connection_ends_well(stage: Stage) -> None:
    program = await stage.run()
    program.send_signal(signal.SIGTERM)
    assert await program.wait(5) == EX_OK


async def test_central_that_vanishes_is_disconnected(virtual: Stage) -> None:
    """The socket of a central is closed without a Disconnect command."""
    program = await virtual.run()
    await virtual.connect()
    await program.event("connected")
    await virtual.path.close()
    await program.event("disconnected")
    central = await virtual.central()
    await central.connect(virtual.address)


async def test_output_is_json_lines(stage: Stage) -> None:
    program = await stage.run()
    session = await stage.connect(mtu=517)
    await session.disconnect()
    await program.event("disconnected")
    program.send_signal(signal.SIGTERM)
    await program.wait(5)
    assert program.output == []
    times = [event["time"] for event in program.events]
    assert times == sorted(times)
