"""Packages for real products, using bleak, with profiles that imitate these products: a lamp, two sensors, firmware updates."""

from __future__ import annotations

import asyncio
from typing import Any

import pykulersky
import pytest
from bleak import BleakScanner
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bthome_ble import BTHomeBluetoothDeviceData
from govee_ble import GoveeBluetoothDeviceData
from habluetooth import BluetoothServiceInfoBleak
from smpclient import SMPClient
from smpclient.generics import success
from smpclient.requests.image_management import ImageStatesRead
from smpclient.transport.ble import SMPBLETransport
from support.program import PROFILES
from support.smp import hash_of, image

from understudy import Accessory
from understudy.bluez import BlueZ, PrivateBus

PRODUCTS = PROFILES.parents[2] / "Profiles"
on_bleak = pytest.mark.usefixtures("understudy_bleak")


async def service_info(accessory: Accessory, octets: bytes = b"") -> BluetoothServiceInfoBleak:
    """Returns the data that Home Assistant passes to a parser for the first advertisement with these octets."""
    found: asyncio.Future[BluetoothServiceInfoBleak] = asyncio.get_running_loop().create_future()

    def take(device: BLEDevice, data: AdvertisementData) -> None:
        if device.address != accessory.address or not data.local_name or found.done():
            return
        if any(octets in value for value in (*data.manufacturer_data.values(), *data.service_data.values())):
            found.set_result(
                BluetoothServiceInfoBleak(
                    name=data.local_name,
                    address=device.address,
                    rssi=data.rssi,
                    manufacturer_data=data.manufacturer_data,
                    service_data=data.service_data,
                    service_uuids=data.service_uuids,
                    source="local",
                    device=device,
                    advertisement=data,
                    connectable=True,
                    time=asyncio.get_running_loop().time(),
                    tx_power=data.tx_power,
                )
            )

    async with BleakScanner(take):
        return await asyncio.wait_for(found, 10)


def readings(update: Any) -> dict[str, Any]:
    return {key.key: value.native_value for key, value in update.entity_values.items()}


@on_bleak
@pytest.mark.accessory(PRODUCTS / "sensor-beacon.yaml")
async def test_bthome_reads_the_sensor(accessory: Accessory) -> None:
    accessory["temperature"].value = 21.25
    accessory["humidity"].value = 45.5
    parser = BTHomeBluetoothDeviceData()
    values = readings(parser.update(await service_info(accessory, (2125).to_bytes(2, "little"))))
    assert (values["battery"], values["temperature"], values["humidity"]) == (87, 21.25, 45.5)


@on_bleak
@pytest.mark.accessory(PRODUCTS / "govee-hygrometer.yaml")
async def test_govee_reads_the_hygrometer(accessory: Accessory) -> None:
    parser = GoveeBluetoothDeviceData()
    values = readings(parser.update(await service_info(accessory)))
    assert (values["temperature"], values["humidity"], values["battery"]) == (21.5, 45.3, 87)
    accessory["temperature"].value = 30.1
    accessory["battery-level"].value = 12
    octets = b"\0" + (301_453).to_bytes(3, "big") + b"\x0c\0"
    values = readings(parser.update(await service_info(accessory, octets)))
    assert (values["temperature"], values["humidity"], values["battery"]) == (30.1, 45.3, 12)
    assert parser.device_type == "H5075"


@on_bleak
@pytest.mark.accessory(PRODUCTS / "kuler-sky.yaml")
async def test_pykulersky_lights_the_lamp(accessory: Accessory) -> None:
    lamp = pykulersky.Light(accessory.address)
    await lamp.connect()
    assert await lamp.get_color() == (0, 0, 0, 0)
    await lamp.set_color(10, 20, 30, 40)
    # The package sets the white channel last, because of a bug of the lamp.
    for white in (0, 40):
        accessory.expect("write", value={"mode": 2, "red": 10, "green": 20, "blue": 30, "white": white})
    assert await lamp.get_color() == (10, 20, 30, 40)
    await lamp.set_color(0, 0, 0, 0)
    assert accessory["light"].octets == bytes.fromhex("32ffffffff")
    await lamp.disconnect()


async def upload(accessory: Accessory) -> None:
    """Uploads an image with smpclient, on any backend of bleak."""
    new = image((2, 1, 300), 5000)
    async with SMPClient(SMPBLETransport(), accessory.address) as client:
        async for _ in client.upload(new):
            pass
        states = await client.request(ImageStatesRead())
        assert success(states)
        assert [(slot.slot, slot.version) for slot in states.images] == [(0, "1.0.0"), (1, "2.1.300")]
        assert states.images[1].hash == hash_of(new)


@on_bleak
@pytest.mark.accessory("mcumgr-smp")
async def test_smpclient_uploads_an_image(accessory: Accessory) -> None:
    await upload(accessory)


@pytest.mark.accessory("mcumgr-smp")
async def test_smpclient_uploads_an_image_over_bluez(accessory: Accessory, monkeypatch: pytest.MonkeyPatch) -> None:
    """With bleak's own backend, on the private bus."""
    bus = await PrivateBus.start()
    service = await BlueZ.start(bus.address, accessory.air.joining[0])
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address)
    try:
        await upload(accessory)
    finally:
        await service.stop()
        await bus.stop()
