"""bleak's public API on Understudy's radio, with the real bleak."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from bleak import BleakAdapter, BleakClient, BleakScanner
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bleak.exc import (
    BleakBluetoothNotAvailableError,
    BleakCharacteristicNotFoundError,
    BleakDeviceNotFoundError,
    BleakError,
    BleakGATTProtocolError,
)
from person import PATIENCE, person_at, waited

from understudy import Accessory
from understudy.bleak import BACKEND_ID, BleakClientUnderstudy, BleakScannerUnderstudy, FixedAgent, Radio, agent_of
from understudy.central import Adapter

PASSKEY = 123456
BATTERY = "0000180f-0000-1000-8000-00805f9b34fb"
SECRET, TEXT, ECHO, COUNT = (f"a000009{number}-7c4d-4b0e-9e4b-1f6e2a1b9c77" for number in range(1, 5))
LONG = "long text " * 40


def vault(**security: Any) -> dict[str, Any]:
    """An accessory with an encrypted value, a long one, and values that it sends."""
    permission = "encrypted" if security["pairing"] == "just-works" else "authenticated"
    protected = {"read": permission, "write": permission}
    return {
        "name": "Vault",
        "security": security,
        "advertising": [
            {
                "id": "main",
                "interval": "20 ms",
                "data": {
                    "flags": ["general"],
                    "services": ["180F"],
                    "manufacturer-data": {"company": 0x1234, "data": b"MFG"},
                    "service-data": {"service": "180F", "data": b"SER"},
                    "tx-power": 8,
                },
                "scan-response": {"name": "complete"},
            }
        ],
        "services": [
            {
                "uuid": "a0000090-7c4d-4b0e-9e4b-1f6e2a1b9c77",
                "characteristics": [
                    {
                        "id": "secret",
                        "uuid": SECRET,
                        "properties": ["read", "write"],
                        "value": b"\1\2",
                        "permissions": protected,
                    },
                    {
                        "id": "text",
                        "uuid": TEXT,
                        "properties": ["read", "write", "write-without-response"],
                        "value": LONG,
                        "description": "A text",
                    },
                    {"id": "echo", "uuid": ECHO, "properties": ["indicate"], "value": b"\0", "max-length": 20},
                    {"id": "count", "uuid": COUNT, "properties": ["read", "notify"], "format": "u8", "value": 0},
                ],
            }
        ],
    }


ACCESSORY = vault(pairing="just-works")
pytestmark = pytest.mark.usefixtures("understudy_bleak")


async def the_device(accessory: Accessory) -> BLEDevice:
    device = await BleakScanner.find_device_by_address(accessory.address, PATIENCE)
    assert device
    return device


# Scanning


async def test_advertisement_data(accessory: Accessory) -> None:
    """The whole data of an advertisement and its scan response, requested in every way."""
    async with BleakScanner() as scanner:
        device, data = await anext(scanner.advertisement_data())
        assert scanner.backend_id == BACKEND_ID
        assert scanner.discovered_devices == [device]
        assert list(scanner.discovered_devices_and_advertisement_data) == [accessory.address]
    assert (device.address, device.name, device.details) == (accessory.address, "Vault", {"address_type": "random"})
    assert data.local_name == "Vault"
    assert data.manufacturer_data == {0x1234: b"MFG"}
    assert data.service_data == {BATTERY: b"SER"}
    assert data.service_uuids == [BATTERY]
    assert data.tx_power == 8
    assert -127 <= data.rssi < 0
    assert data.platform_data[0] == accessory.address


async def test_a_passive_scan_asks_for_no_response(accessory: Accessory) -> None:
    found: list[AdvertisementData] = []
    async with BleakScanner(lambda _, data: found.append(data), scanning_mode="passive"):
        await waited(lambda: len(found) > 2)
    assert {(data.local_name, data.tx_power) for data in found} == {(None, 8)}


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [
        ({"service_uuids": [BATTERY.upper()]}, True),
        ({"service_uuids": ["0000180d-0000-1000-8000-00805f9b34fb"]}, False),
        ({"bluez": {"filters": {"UUIDs": ["180f"], "Pattern": "Va"}}}, True),
        ({"bluez": {"filters": {"Pattern": "Wa"}}}, False),
        ({"bluez": {"filters": {"RSSI": 0}}}, False),
        ({"scanning_mode": "passive", "bluez": {"or_patterns": [(2, 0x16, b"SER")]}}, True),
        ({"scanning_mode": "passive", "bluez": {"or_patterns": [(0, 0x16, b"SER")]}}, False),
    ],
)
async def test_filters(accessory: Accessory, arguments: dict[str, Any], seen: bool) -> None:
    everything: list[BLEDevice] = []
    some: list[BLEDevice] = []
    async with (
        BleakScanner(lambda device, _: some.append(device), **arguments),
        BleakScanner(lambda device, _: everything.append(device), scanning_mode="passive"),
    ):
        await waited(lambda: len(everything) > 4)
    assert bool(some) == seen


async def test_devices_by_name_and_filter(accessory: Accessory) -> None:
    assert await BleakScanner.find_device_by_name("Vault", PATIENCE)
    assert await BleakScanner.find_device_by_name("Nobody", 0.1) is None
    found = await BleakScanner.find_device_by_filter(lambda _, data: 0x1234 in data.manufacturer_data, PATIENCE)
    assert found and found.address == accessory.address


# Connecting


async def test_services(accessory: Accessory) -> None:
    async with BleakClient(accessory.address) as client:
        assert client.is_connected and client.mtu_size == 517 and client.name == "Vault"
        assert client.backend_id == BACKEND_ID
        text = client.services.get_characteristic(uuid.UUID(TEXT))
        assert text and text.properties == ["read", "write-without-response", "write"]
        assert text.max_write_without_response_size == 514
        (description,) = text.descriptors
        assert await client.read_gatt_descriptor(description) == b"A text"
        with pytest.raises(BleakCharacteristicNotFoundError):
            await client.read_gatt_char("2a37")
        adapter = await BleakAdapter.get()
        services = client.services.services.values()
        connected = await adapter.get_connected_devices([service.uuid for service in services])
        assert [device.address for device in connected] == [accessory.address]
        assert await adapter.get_connected_devices(["1234"]) == []
    assert not client.is_connected
    accessory.expect("disconnected", code=0x13)
    async with BleakClient(accessory.address, services=["180f"]) as client:
        assert client.services.services == {}


async def test_the_disconnected_callback_is_called_whoever_disconnects(accessory: Accessory) -> None:
    gone: list[BleakClient] = []
    client = BleakClient(await the_device(accessory), gone.append)
    await client.connect()
    with pytest.raises(BleakError, match="already connected"):
        await client.connect()
    accessory.connection(accessory.expect("connected")).disconnect()
    await waited(lambda: gone == [client])
    with pytest.raises(BleakError):
        await client.read_gatt_char(TEXT)
    await client.connect()
    await client.disconnect()
    assert gone == [client, client] and not client.is_connected


async def test_a_device_that_is_not_there(accessory: Accessory) -> None:
    with pytest.raises(BleakDeviceNotFoundError):
        await BleakClient("C0:00:00:00:00:01", timeout=0.2).connect()
    device = await the_device(accessory)
    accessory.stop_advertising("main")
    with pytest.raises(TimeoutError):
        await BleakClient(device, timeout=0.2).connect()
    # The attempt has ended: the next one works.
    accessory.start_advertising("main")
    async with BleakClient(device):
        pass


async def test_an_absent_device_does_not_keep_others_waiting(accessory: Accessory) -> None:
    absent = BLEDevice("C0:00:00:00:00:01", None, {"address_type": "random"})
    device = await the_device(accessory)
    attempt = asyncio.create_task(BleakClient(absent, timeout=PATIENCE).connect())
    await asyncio.sleep(0)
    async with BleakClient(device, timeout=PATIENCE):
        assert not attempt.done()
    attempt.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attempt


# Values


async def test_values(accessory: Accessory) -> None:
    async with BleakClient(accessory.address) as client:
        assert await client.read_gatt_char(TEXT) == LONG.encode()
        accessory["text"].value = "short"
        assert await client.read_gatt_char(TEXT, use_cached=True) == LONG.encode()
        await client.write_gatt_char(TEXT, b"y" * 400, response=True)
        assert accessory["text"].value == "y" * 400
        await client.write_gatt_char(TEXT, b"quick", response=False)
        accessory.expect("write", characteristic="text", value="quick")
        with pytest.raises(BleakError, match="514"):
            await client.write_gatt_char(TEXT, bytes(515), response=False)


async def test_writes_longer_than_the_mtu(accessory: Accessory) -> None:
    async with BleakClient(accessory.address) as client:
        backend: Any = client._backend
        backend._link.connection.att_mtu = 23
        await asyncio.gather(*(client.write_gatt_char(TEXT, letter * 300, response=True) for letter in (b"a", b"b")))
        assert accessory["text"].value in ("a" * 300, "b" * 300)


async def test_errors_have_the_code_of_the_protocol(accessory: Accessory) -> None:
    accessory.arm(on={"read": "text"}, do={"error": "0x80"})
    async with BleakClient(accessory.address) as client:
        with pytest.raises(BleakGATTProtocolError) as failure:
            await client.read_gatt_char(TEXT)
        assert failure.value.code == 0x80
        with pytest.raises(BleakGATTProtocolError) as failure:
            await client.read_gatt_char(ECHO)
        assert failure.value.code == 0x02


async def test_notifications_and_indications(accessory: Accessory) -> None:
    counts: list[bytes] = []
    echoes: list[bytes] = []

    async def take(_: BleakGATTCharacteristic, value: bytearray) -> None:
        echoes.append(bytes(value))

    async with BleakClient(accessory.address) as client:
        with pytest.raises(BleakError, match="neither"):
            await client.start_notify(TEXT, take)
        await client.start_notify(COUNT, lambda _, value: counts.append(bytes(value)))
        await client.start_notify(ECHO, take)
        accessory["count"].notify(7)
        accessory["echo"].indicate(b"\x09")
        await waited(lambda: counts == [b"\7"] and echoes == [b"\x09"])
        await client.stop_notify(COUNT)
        await client.stop_notify(ECHO)
        accessory.expect("unsubscribed", characteristic="count")


async def test_a_callback_that_fails_ends_nothing(accessory: Accessory) -> None:
    counts: list[int] = []
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))

    def take(_: BleakGATTCharacteristic, value: bytearray) -> None:
        counts.append(value[0])
        raise ValueError("this is for the test")

    async with BleakClient(accessory.address) as client:
        await client.start_notify(COUNT, take)
        accessory["count"].notify(1)
        accessory["count"].notify(2)
        await waited(lambda: counts == [1, 2])
    assert [str(complaint["exception"]) for complaint in complaints] == ["this is for the test"] * 2


# Pairing


async def test_pairing_on_demand_and_bond(accessory: Accessory, understudy_bleak: Radio) -> None:
    """As with BlueZ, a value that needs encryption starts pairing, and the bond encrypts the next connection."""
    async with BleakClient(accessory.address) as client:
        assert await client.read_gatt_char(SECRET) == b"\1\2"
        accessory.expect("paired")
    async with BleakClient(accessory.address) as client:
        accessory.expect("security", bonded=True)
        await client.pair()
        assert await client.read_gatt_char(SECRET) == b"\1\2"
        await client.unpair()
        assert not client.is_connected
    assert understudy_bleak.memory.keys.all_keys == {}
    with pytest.raises(BleakDeviceNotFoundError):
        await client.unpair()


@pytest.mark.parametrize(
    ("pairing", "agent"),
    [
        ("display", f"keyboard:{PASSKEY}"),
        ("display", f"keyboard-display:{PASSKEY}"),
        ("keyboard", "display"),
        ("compare", "compare"),
        ("keyboard-display", "keyboard-display"),
    ],
)
async def test_pairing_with_an_agent(accessory: Accessory, pairing: str, agent: str) -> None:
    """Each way in which the user takes part."""
    person = agent_of(agent)
    assert isinstance(person, FixedAgent)
    fixed = {"passkey": PASSKEY} if pairing == "display" else {}
    accessory.set_security({"pairing": pairing, **fixed})

    async with person_at(accessory, person.displayed), BleakClient(accessory.address, timeout=PATIENCE) as client:
        await client.pair(agent=person)
        paired = accessory.expect("paired")
        assert paired.raw["authenticated"] is True
        assert await client.read_gatt_char(SECRET) == b"\1\2"


async def test_a_wrong_passkey(accessory: Accessory) -> None:
    accessory.set_security({"pairing": "display", "passkey": PASSKEY})
    async with BleakClient(accessory.address, agent=FixedAgent("keyboard", PASSKEY + 1)) as client:
        with pytest.raises(BleakError, match="pairing failed"):
            await client.pair()
    async with BleakClient(accessory.address, agent=FixedAgent("keyboard")) as client:
        with pytest.raises(BleakError, match="passkey entry failed"):
            await client.pair()


# The end


async def test_an_accessory_that_ends_leaves_an_error_and_no_wait(accessory: Accessory) -> None:
    gone: list[BleakClient] = []
    client = BleakClient(accessory.address, gone.append)
    await client.connect()
    accessory.program.kill()
    await waited(lambda: gone == [client])
    with pytest.raises(BleakError):
        await client.read_gatt_char(TEXT)
    await client.disconnect()
    with pytest.raises(BleakBluetoothNotAvailableError):
        await BleakScanner().start()


async def test_the_last_user_frees_the_controller(accessory: Accessory) -> None:
    """Repeatable: a client that is canceled anywhere leaves no connection."""
    device = await the_device(accessory)
    for turn in range(12):
        attempt = asyncio.create_task(BleakClient(device).connect())
        await asyncio.sleep(turn * 0.02)
        attempt.cancel()
        await asyncio.wait({attempt})
        if not attempt.cancelled():
            break

    def count(kind: str) -> int:
        return [event.kind for event in accessory.events].count(kind)

    await waited(lambda: count("joined") == count("left") and count("connected") == count("disconnected"))
    async with BleakClient(device) as client:
        assert await client.read_gatt_char(COUNT) == b"\0"


async def test_latency_of_a_notification(accessory: Accessory, understudy_bleak: Radio) -> None:
    """bleak's callback is called in the same turn in which Bumble reads the packet."""
    arrivals: list[float] = []
    delays: list[float] = []
    async with BleakClient(accessory.address) as client:
        backend: Any = client._backend
        gatt = backend._link.connection.gatt_client
        received = gatt.on_gatt_pdu

        def note(pdu: Any) -> None:
            arrivals.append(time.perf_counter())
            received(pdu)

        gatt.on_gatt_pdu = note
        await client.start_notify(COUNT, lambda *_: delays.append(time.perf_counter() - arrivals[-1]))
        for value in range(20):
            accessory["count"].notify(value)
        await waited(lambda: len(delays) == 20)
    assert statistics.median(delays) < 0.001


# Scripts


SCRIPT = """
import asyncio, sys
from bleak import BleakClient, BleakScanner

async def main():
    device = await BleakScanner.find_device_by_name("Heart Rate Belt")
    async with BleakClient(device) as client:
        print(sys.argv[1], (await client.read_gatt_char("2a38")).hex())

asyncio.run(main())
"""


def test_a_script_unchanged(tmp_path: Path, understudy_executable: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "UNDERSTUDY_BLEAK": "heart-rate", "UNDERSTUDY": str(understudy_executable)}
    command = [sys.executable, "-m", "understudy.bleak", str(script), "location"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)
    assert (ran.returncode, ran.stdout) == (0, "location 01\n"), ran.stderr
    environment["UNDERSTUDY_BLEAK"] = "1"
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)
    assert ran.returncode == 1 and "set UNDERSTUDY_BLEAK to a profile" in ran.stderr


async def test_backends_by_name(accessory: Accessory, understudy_bleak: Radio) -> None:
    """Without installation: `backend=`, with a separate radio."""
    options: dict[str, Any] = {"backend": BleakScannerUnderstudy, "radio": understudy_bleak}
    async with BleakScanner(**options) as scanner:
        await waited(lambda: bool(scanner.discovered_devices))
    async with BleakClient(
        scanner.discovered_devices[0], backend=BleakClientUnderstudy, radio=understudy_bleak
    ) as client:
        assert await client.read_gatt_char(COUNT) == b"\0"


@pytest.mark.parametrize("text", ["", "person", "keyboard:12345x", "keyboard:1234567"])
def test_agents_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="is no agent"):
        agent_of(text)


async def test_a_place_without_a_radio() -> None:
    from understudy.central import RadioLost

    with pytest.raises(RadioLost, match="tcp-client:127.0.0.1:1"):
        await Adapter.open("tcp-client:127.0.0.1:1")
