"""Two hosts that behave like Linux, on every preset: no command of the kernel is refused."""

from __future__ import annotations

import asyncio

import pytest

from support.kernel import ENCRYPTION, KernelHost
from test_radio_hosts import PRESETS, Start, start

__all__ = ["start"]

PERIPHERAL, CENTRAL = bytes.fromhex("0100000000f1"), bytes.fromhex("0100000000f0")
KEY = bytes(range(16))


@pytest.mark.parametrize("preset", PRESETS)
async def test_no_command_fails(start: Start, preset: str) -> None:
    radio = await start("--preset", preset)
    ports = [int(place.rsplit(":", 1)[1]) for place in radio.places]
    peripheral = await KernelHost.open(ports[0], PERIPHERAL)
    central = await KernelHost.open(ports[1], CENTRAL)
    await asyncio.gather(peripheral.bring_up(), central.bring_up())
    assert len(central.sent) >= 12
    for _ in range(2):
        await peripheral.advertise(b"\x02\x01\x06")
        await central.discover(PERIPHERAL)
        (near, far) = await asyncio.gather(central.connect(PERIPHERAL), peripheral.connected())
        await central.read_remote_features(near)
        await central.read_remote_version(near)
        await central.update_connection(near)
        if central.can(ENCRYPTION):
            await asyncio.gather(central.encrypt(near, KEY), peripheral.give_key(far, KEY))
        await central.read_connection_information(near)
        await central.disconnect(near)
        assert (await peripheral.event(0x05))[3] == 0x13
        await peripheral.stop_advertising()
    # Down and up again.
    await asyncio.gather(peripheral.bring_up(), central.bring_up())
    for host in (peripheral, central):
        await host.close()
