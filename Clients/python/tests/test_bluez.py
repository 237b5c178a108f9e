"""BlueZ's D-Bus API with an accessory: checked by bleak's own backend for it, and call by call."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from bleak import BleakClient, BleakScanner
from bleak.backends.bluezdbus.client import BleakClientBlueZDBus
from bleak.backends.bluezdbus.scanner import BleakScannerBlueZDBus
from bleak.exc import BleakError, BleakGATTProtocolError
from bus import ACCESSORY as ACCESSORY
from bus import ADAPTER, ADAPTER1, CHARACTERISTIC1, DEVICE1, PROPERTIES, Client
from bus import bluez as bluez
from bus import client as client
from dbus_fast import Variant
from person import PATIENCE, waited
from test_bleak import COUNT, ECHO, LONG, SECRET, TEXT

from understudy import Accessory
from understudy.bluez import BlueZ
from understudy.central import Scan, Sighting

SERVICE1 = "org.bluez.GattService1"

# bleak's own backend


def connection(accessory: Accessory, **options: Any) -> BleakClient:
    return BleakClient(accessory.address, timeout=PATIENCE, backend=BleakClientBlueZDBus, **options)


async def test_bleak(accessory: Accessory, bluez: BlueZ) -> None:
    gone: list[BleakClient] = []
    counts: list[int] = []
    device = await BleakScanner.find_device_by_name("Vault", PATIENCE, backend=BleakScannerBlueZDBus)
    assert device
    async with BleakClient(device, gone.append, backend=BleakClientBlueZDBus) as client:
        assert client.name == "Vault"
        text = client.services.get_characteristic(TEXT)
        assert text and text.max_write_without_response_size == 514
        assert await client.read_gatt_char(text) == LONG.encode()
        assert await client.read_gatt_descriptor(text.descriptors[0]) == b"A text"
        await client.write_gatt_char(text, b"y" * 400, response=True)
        assert accessory["text"].value == "y" * 400
        await client.write_gatt_char(text, b"quick", response=False)
        await accessory.aio.expect("write", characteristic="text", value="quick")
        for use_start_notify in (True, False):
            await client.start_notify(
                COUNT, lambda _, value: counts.append(value[0]), bluez={"use_start_notify": use_start_notify}
            )
            accessory["count"].notify(7)
            accessory["count"].notify(7)
            await waited(lambda: counts == [7, 7])
            counts.clear()
            await client.stop_notify(COUNT)
            await accessory.aio.expect("unsubscribed", characteristic="count")
        with pytest.raises(BleakGATTProtocolError) as failure:
            await client.read_gatt_char(ECHO)
        assert failure.value.code == 0x02
        # As with BlueZ, an access that needs a bond creates one.
        assert await client.read_gatt_char(SECRET) == b"\1\2"
        paired = await accessory.aio.expect("paired")
        accessory.connection(paired).disconnect()
        await waited(lambda: gone == [client])
    await client.unpair()
    assert not bluez.central.memory.keys.all_keys


@pytest.mark.parametrize(("code", "name"), [(0x80, 0x80), (0x08, 0x08), (0x06, 0x06), (0x0D, 0x0D), (0xFD, 0xFD)])
async def test_attribute_errors(accessory: Accessory, bluez: BlueZ, code: int, name: int) -> None:
    accessory.arm(on={"read": "text"}, do={"error": f"0x{code:02X}"})
    async with connection(accessory) as client:
        with pytest.raises(BleakGATTProtocolError) as failure:
            await client.read_gatt_char(TEXT)
        assert failure.value.code == name


async def test_passive_scanning_with_a_monitor(accessory: Accessory, bluez: BlueZ) -> None:
    found: list[str] = []
    options: dict[str, Any] = {"scanning_mode": "passive", "backend": BleakScannerBlueZDBus}
    async with BleakScanner(
        lambda device, _: found.append(device.address), bluez={"or_patterns": [(0, 0x16, b"\x0f\x18SER")]}, **options
    ):
        await waited(lambda: accessory.address in found)
        assert bluez.adapter.monitors._scan
    await waited(lambda: not bluez.central.is_scanning)


async def test_a_radio_that_ends(accessory: Accessory, bluez: BlueZ) -> None:
    gone: list[BleakClient] = []
    client = connection(accessory, disconnected_callback=gone.append)
    await client.connect()
    accessory.program.kill()
    await waited(lambda: gone == [client])
    with pytest.raises(BleakError):
        await connection(accessory).connect()


# Calls


async def test_discovery(accessory: Accessory, client: Client) -> None:
    other = await Client.open()
    assert await client.error(ADAPTER, ADAPTER1, "StopDiscovery") == ("org.bluez.Error.Failed", "No discovery started")
    await client.call(ADAPTER, ADAPTER1, "SetDiscoveryFilter", "a{sv}", {"UUIDs": Variant("as", ["180d"])})
    await client.call(ADAPTER, ADAPTER1, "StartDiscovery")
    assert (await client.error(ADAPTER, ADAPTER1, "StartDiscovery"))[0] == "org.bluez.Error.InProgress"
    await asyncio.sleep(0.1)
    assert not [path for path in await client.objects() if "/dev_" in path]
    path = await other.find(accessory)
    properties = (await client.call(path, PROPERTIES, "GetAll", "s", DEVICE1))[0]
    plain = {name: value.value for name, value in properties.items()}
    assert plain["Alias"] == plain["Name"] == "Vault"
    assert plain["AddressType"] == "random" and plain["Adapter"] == ADAPTER
    assert not (plain["Connected"] or plain["Paired"] or plain["Bonded"] or plain["Trusted"])
    assert plain["ManufacturerData"][0x1234].value == b"MFG"
    assert plain["ServiceData"] == {"0000180f-0000-1000-8000-00805f9b34fb": Variant("ay", b"SER")}
    assert plain["AdvertisingFlags"] == b"\6"
    await client.call(ADAPTER, ADAPTER1, "StopDiscovery")
    assert "RSSI" not in (await client.call(path, PROPERTIES, "GetAll", "s", DEVICE1))[0]
    assert client.changes(ADAPTER, "Discovering") == [True, False]
    other.bus.disconnect()


async def test_a_constant_rssi_is_signalled_again(accessory: Accessory, client: Client) -> None:
    await client.call(ADAPTER, ADAPTER1, "SetDiscoveryFilter", "a{sv}", {"DuplicateData": Variant("b", False)})
    await client.call(ADAPTER, ADAPTER1, "StartDiscovery")
    path = f"{ADAPTER}/dev_{accessory.address.replace(':', '_')}"
    await waited(lambda: len(client.changes(path, "RSSI")) > 1)
    assert client.changes(path, "ManufacturerData") == []


async def test_the_answer_to_start_discovery_comes_before_the_first_device(
    bluez: BlueZ, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    members: list[str | None] = []
    client.bus.add_message_handler(lambda message: members.append(message.member))
    scan = bluez.central.scan

    async def scan_until_a_device_is_found(found: Callable[[Sighting], None]) -> Scan:
        sightings: list[Sighting] = []

        def note(sighting: Sighting) -> None:
            found(sighting)
            sightings.append(sighting)

        begun = await scan(note)
        await waited(lambda: sightings)
        return begun

    monkeypatch.setattr(bluez.central, "scan", scan_until_a_device_is_found)
    await client.call(ADAPTER, ADAPTER1, "StartDiscovery")
    await waited(lambda: "InterfacesAdded" in members)
    assert [member for member in members if member in (None, "InterfacesAdded")] == [None, "InterfacesAdded"]


async def test_connection_and_services(accessory: Accessory, client: Client) -> None:
    device = await client.find(accessory)
    characteristics = await client.resolve(device)
    assert client.changes(device, "Connected") == [True]
    text = (await client.call(characteristics[TEXT], PROPERTIES, "GetAll", "s", CHARACTERISTIC1))[0]
    assert text["Flags"].value == ["read", "write-without-response", "write"] and text["MTU"].value == 517
    assert "NotifyAcquired" not in text and text["WriteAcquired"].value is False
    await waited(lambda: bluez_battery(client, device))
    assert await client.get(device, "org.bluez.Battery1", "Percentage") == 87
    accessory["battery-level"].value = 40
    await waited(lambda: client.changes(device, "Percentage") == [40])
    await client.call(device, DEVICE1, "Disconnect")
    assert client.changes(device, "Connected") == [True, False]
    assert not [path for path in await client.objects() if "service" in path]
    assert (await client.error(device, DEVICE1, "Disconnect"))[0] == "org.bluez.Error.NotConnected"
    await client.call(ADAPTER, ADAPTER1, "RemoveDevice", "o", device)
    assert device not in await client.objects()
    assert (await client.error(ADAPTER, ADAPTER1, "RemoveDevice", "o", device))[0] == "org.bluez.Error.DoesNotExist"


def bluez_battery(client: Client, device: str) -> bool:
    return any(
        signal.member == "InterfacesAdded" and signal.body[0] == device and "org.bluez.Battery1" in signal.body[1]
        for signal in client.signals
    )


async def test_sockets(accessory: Accessory, client: Client) -> None:
    """AcquireNotify and AcquireWrite: each gives a socket, and closing it ends the operation."""
    characteristics = await client.resolve(await client.find(accessory))
    reply = await client.reply(characteristics[COUNT], CHARACTERISTIC1, "AcquireNotify", "a{sv}", {})
    assert reply.body == [0, 517]
    count = socket.socket(fileno=reply.unix_fds[0])
    count.setblocking(False)
    assert await client.error(characteristics[COUNT], CHARACTERISTIC1, "StartNotify") == (
        "org.bluez.Error.NotPermitted",
        "Notify acquired",
    )
    accessory["count"].notify(3)
    assert await asyncio.wait_for(asyncio.get_running_loop().sock_recv(count, 100), PATIENCE) == b"\3"
    count.close()
    await waited(lambda: client.changes(characteristics[COUNT], "NotifyAcquired") == [True, False])
    await accessory.aio.expect("unsubscribed", characteristic="count")
    reply = await client.reply(characteristics[TEXT], CHARACTERISTIC1, "AcquireWrite", "a{sv}", {})
    with socket.socket(fileno=reply.unix_fds[0]) as text:
        text.send(b"by socket")
        await accessory.aio.expect("write", characteristic="text", value="by socket")
    await waited(lambda: client.changes(characteristics[TEXT], "WriteAcquired") == [True, False])
    assert (await client.error(characteristics[COUNT], CHARACTERISTIC1, "AcquireWrite", "a{sv}", {}))[
        0
    ] == "org.bluez.Error.NotSupported"


@pytest.mark.parametrize(
    ("path", "interface", "member", "signature", "body", "name"),
    [
        (
            ADAPTER,
            ADAPTER1,
            "SetDiscoveryFilter",
            "a{sv}",
            [{"Colour": Variant("s", "red")}],
            "org.bluez.Error.InvalidArguments",
        ),
        (
            ADAPTER,
            ADAPTER1,
            "SetDiscoveryFilter",
            "a{sv}",
            [{"RSSI": Variant("s", "near")}],
            "org.bluez.Error.InvalidArguments",
        ),
        (
            ADAPTER,
            ADAPTER1,
            "SetDiscoveryFilter",
            "a{sv}",
            [{"UUIDs": Variant("as", ["none"])}],
            "org.bluez.Error.InvalidArguments",
        ),
        (ADAPTER, ADAPTER1, "RemoveDevice", "s", ["x"], "org.freedesktop.DBus.Error.UnknownMethod"),
        (ADAPTER, ADAPTER1, "Fly", "", [], "org.freedesktop.DBus.Error.UnknownMethod"),
        (ADAPTER, "org.bluez.Media1", "StartDiscovery", "", [], "org.freedesktop.DBus.Error.UnknownMethod"),
        (ADAPTER + "/dev_0", DEVICE1, "Connect", "", [], "org.freedesktop.DBus.Error.UnknownObject"),
        (ADAPTER, PROPERTIES, "Get", "ss", [ADAPTER1, "Colour"], "org.freedesktop.DBus.Error.InvalidArgs"),
        (ADAPTER, PROPERTIES, "GetAll", "s", ["org.bluez.Media1"], "org.freedesktop.DBus.Error.InvalidArgs"),
        (
            ADAPTER,
            PROPERTIES,
            "Set",
            "ssv",
            [ADAPTER1, "Address", Variant("s", "")],
            "org.freedesktop.DBus.Error.PropertyReadOnly",
        ),
        (
            ADAPTER,
            PROPERTIES,
            "Set",
            "ssv",
            [ADAPTER1, "Alias", Variant("u", 1)],
            "org.freedesktop.DBus.Error.InvalidSignature",
        ),
        (
            "/org/bluez",
            "org.bluez.AgentManager1",
            "RegisterAgent",
            "os",
            ["/a", "Telepathy"],
            "org.bluez.Error.InvalidArguments",
        ),
        ("/org/bluez", "org.bluez.AgentManager1", "RequestDefaultAgent", "o", ["/a"], "org.bluez.Error.DoesNotExist"),
        (
            ADAPTER,
            "org.bluez.AdvertisementMonitorManager1",
            "UnregisterMonitor",
            "o",
            ["/m"],
            "org.bluez.Error.DoesNotExist",
        ),
    ],
)
async def test_calls_that_are_wrong(
    client: Client, path: str, interface: str, member: str, signature: str, body: list[Any], name: str
) -> None:
    assert (await client.error(path, interface, member, signature, *body))[0] == name
    # Nothing is lost.
    assert await client.get(ADAPTER, ADAPTER1, "Powered") is True


async def test_values_and_options_that_are_wrong(accessory: Accessory, client: Client) -> None:
    characteristics = await client.resolve(await client.find(accessory))
    text, count = characteristics[TEXT], characteristics[COUNT]
    for member, signature, body, name in (
        ("WriteValue", "aya{sv}", [b"x", {"type": Variant("s", "shout")}], "org.bluez.Error.InvalidArguments"),
        ("WriteValue", "aya{sv}", [bytes(513), {}], "org.bluez.Error.InvalidArguments"),
        ("ReadValue", "a{sv}", [{"offset": Variant("s", "1")}], "org.bluez.Error.InvalidArguments"),
        ("ReadValue", "a{sv}", [{"offset": Variant("q", 999)}], "org.bluez.Error.InvalidArguments"),
        ("StartNotify", "", [], "org.bluez.Error.NotSupported"),
        ("StopNotify", "", [], "org.bluez.Error.Failed"),
    ):
        assert (await client.error(text, CHARACTERISTIC1, member, signature, *body))[0] == name, member
    assert (await client.call(text, CHARACTERISTIC1, "ReadValue", "a{sv}", {"offset": Variant("q", 5)}))[
        0
    ] == LONG.encode()[5:]
    await client.call(count, CHARACTERISTIC1, "StartNotify")
    assert (await client.error(count, CHARACTERISTIC1, "StartNotify"))[0] == "org.bluez.Error.InProgress"


async def test_introspection(client: Client) -> None:
    (text,) = await client.call(ADAPTER, "org.freedesktop.DBus.Introspectable", "Introspect")
    assert '<interface name="org.bluez.Adapter1">' in text and '<arg type="a{sv}" direction="in"/>' in text
    (text,) = await client.call("/org", "org.freedesktop.DBus.Introspectable", "Introspect")
    assert '<node name="bluez"/>' in text


# Changes


async def test_services_that_change(accessory: Accessory, client: Client) -> None:
    """The objects follow the services while the device is connected."""
    added = "a0000070-7c4d-4b0e-9e4b-1f6e2a1b9c77"
    device = await client.find(accessory)
    await client.resolve(device)
    await asyncio.to_thread(accessory.add_service, {"id": "more", "uuid": added, "characteristics": []})

    async def uuids() -> list[str]:
        objects = await client.objects()
        return [one[SERVICE1]["UUID"].value for one in objects.values() if SERVICE1 in one]

    async with asyncio.timeout(PATIENCE):
        while added not in await uuids():
            await asyncio.sleep(0.01)
    await asyncio.to_thread(accessory.remove_service, "more")
    async with asyncio.timeout(PATIENCE):
        while added in await uuids():
            await asyncio.sleep(0.01)


PRIVATE = {
    **ACCESSORY,
    "identity": {"address": "private", "rotation": "2 s"},
    "advertising": [
        {"id": "main", "interval": "20 ms", "data": {"flags": ["general"]}, "scan-response": {"name": "complete"}}
    ],
}


@pytest.mark.accessory(PRIVATE)
async def test_a_device_with_private_addresses(accessory: Accessory, client: Client, bluez: BlueZ) -> None:
    """After pairing, the device has its identity address, under which clients connect even when its private address has changed."""
    await client.call(ADAPTER, ADAPTER1, "StartDiscovery")
    await waited(lambda: bluez.adapter.devices)
    await client.call(ADAPTER, ADAPTER1, "StopDiscovery")
    ((private, device),) = bluez.adapter.devices.items()
    await client.call(device.path, DEVICE1, "Pair")
    identity = await client.get(device.path, DEVICE1, "Address")
    assert identity != private and list(bluez.adapter.devices) == [identity]
    await client.call(device.path, DEVICE1, "Disconnect")
    # Waits until the private address has changed.
    await client.call(ADAPTER, ADAPTER1, "StartDiscovery")
    await waited(lambda: device.sighting.on_air.to_string(False) not in (private, identity))
    await client.call(ADAPTER, ADAPTER1, "StopDiscovery")
    await client.call(device.path, DEVICE1, "Connect")
    assert (
        device.link
        and device.link.is_bonded
        and device.link.sighting.on_air.to_string(False) not in (private, identity)
    )
    await waited(lambda: device.values["ServicesResolved"])
    assert device.link.is_encrypted
    await client.call(ADAPTER, ADAPTER1, "RemoveDevice", "o", device.path)
    assert not bluez.central.memory.keys.all_keys


CACHING = {**ACCESSORY, "gatt": {"robust-caching": True}}


@pytest.mark.accessory(CACHING)
async def test_services_are_discovered_once(accessory: Accessory, client: Client, bluez: BlueZ) -> None:
    """With the same Database Hash, the cached services are used."""
    device = await client.find(accessory)
    found = []
    for _ in range(2):
        await client.resolve(device)
        link = bluez.adapter.devices[accessory.address].link
        assert link
        found.append(link.services)
        await client.call(device, DEVICE1, "Disconnect")
    assert found[0] is found[1] and found[0]


NUL = {**ACCESSORY, "advertising": [{"id": "main", "interval": "20 ms", "data": b"\x02\x01\x06\x05\x09A\0\xffB"}]}


@pytest.mark.accessory(NUL)
async def test_a_name_that_the_bus_cannot_carry(accessory: Accessory, client: Client) -> None:
    device = await client.find(accessory)
    assert await client.get(device, DEVICE1, "Name") == "A\ufffdB"


# The command


def test_the_command(accessory: Accessory) -> None:
    """A program, its exit code, and the bus that ends with it."""
    command = [sys.executable, "-c", "from understudy.bluez._command import main; main()", "run"]
    script = "import os, sys; print(os.environ['DBUS_SYSTEM_BUS_ADDRESS']); sys.exit(7)"
    place = accessory.air.joining[0]
    ran = subprocess.run(
        [*command, "--controller", place, "--", sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert ran.returncode == 7, ran.stderr
    path = ran.stdout.strip().removeprefix("unix:path=")
    assert path.startswith("/") and not os.path.exists(os.path.dirname(path))
    for wrong, code, said in (
        ([], 2, "name profiles"),
        (["--controller", "tcp-client:127.0.0.1:1", "--", "true"], 69, "cannot open"),
        (["no-such-profile", "--", "true"], 69, "no-such-profile"),
        (["--controller", place, "--", "no-such-command"], 127, "no-such-command"),
    ):
        ran = subprocess.run([*command, *wrong], capture_output=True, text=True, timeout=30)
        assert (ran.returncode, said in ran.stderr) == (code, True), (wrong, ran)
