"""BlueZ's D-Bus API above an accessory: judged by bleak's own backend for it, by bluetoothctl, and call by call."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from bleak import BleakClient, BleakScanner
from bleak.backends.bluezdbus.client import BleakClientBlueZDBus
from bleak.backends.bluezdbus.scanner import BleakScannerBlueZDBus
from bleak.exc import BleakError, BleakGATTProtocolError
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from test_bleak import ACCESSORY as VAULT
from test_bleak import COUNT, ECHO, LONG, PASSKEY, SECRET, TEXT
from understudy import Accessory
from understudy.bluez import BlueZ, PrivateBus

ACCESSORY = {
    **VAULT,
    "services": [*VAULT["services"], {"include": "battery", "level": 87}],
}
PATIENCE = 10.0
ADAPTER = "/org/bluez/hci0"
ADAPTER1, DEVICE1, CHARACTERISTIC1 = "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.GattCharacteristic1"
PROPERTIES = "org.freedesktop.DBus.Properties"


async def waited(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)


@pytest.fixture
async def bluez(accessory: Accessory, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[BlueZ]:
    bus = await PrivateBus.start()
    service = await BlueZ.start(bus.address, accessory.air.joining[0])
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address)
    yield service
    await service.stop()
    await bus.stop()


class Client:
    """A program on the bus."""

    def __init__(self, bus: MessageBus) -> None:
        self.bus = bus
        self.signals: list[Message] = []
        bus.add_message_handler(self._note)

    @classmethod
    async def open(cls) -> Client:
        client = cls(await MessageBus(bus_address=os.environ["DBUS_SYSTEM_BUS_ADDRESS"], negotiate_unix_fd=True).connect())
        await client.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", "s", "sender='org.bluez'", to="org.freedesktop.DBus")
        return client

    def _note(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL:
            self.signals.append(message)

    async def reply(self, path: str, interface: str | None, member: str, signature: str = "", *body: Any, to: str = "org.bluez") -> Message:
        message = Message(destination=to, path=path, interface=interface, member=member, signature=signature, body=list(body))
        reply = await asyncio.wait_for(self.bus.call(message), PATIENCE)
        assert reply
        return reply

    async def call(self, *arguments: Any, to: str = "org.bluez") -> list[Any]:
        reply = await self.reply(*arguments, to=to)
        assert reply.message_type is MessageType.METHOD_RETURN, (reply.error_name, reply.body)
        return reply.body

    async def error(self, *arguments: Any) -> tuple[str | None, str]:
        reply = await self.reply(*arguments)
        assert reply.message_type is MessageType.ERROR, reply.body
        return reply.error_name, reply.body[0]

    async def get(self, path: str, interface: str, name: str) -> Any:
        return (await self.call(path, PROPERTIES, "Get", "ss", interface, name))[0].value

    async def objects(self) -> dict[str, Any]:
        objects: dict[str, Any] = (await self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"))[0]
        return objects

    def changes(self, path: str, name: str) -> list[Any]:
        """The values of a property that were told."""
        return [
            signal.body[1][name].value
            for signal in self.signals
            if signal.path == path and signal.member == "PropertiesChanged" and name in signal.body[1]
        ]

    async def find(self, accessory: Accessory) -> str:
        """Discovers the accessory, and returns the path of its device."""
        await self.call(ADAPTER, ADAPTER1, "StartDiscovery")
        path = f"{ADAPTER}/dev_{accessory.address.replace(':', '_')}"
        async with asyncio.timeout(PATIENCE):
            while path not in await self.objects():
                await asyncio.sleep(0.01)
        await self.call(ADAPTER, ADAPTER1, "StopDiscovery")
        return path

    async def resolve(self, device: str) -> dict[str, str]:
        """Connects, and returns the paths of the characteristics by their UUIDs."""
        await self.call(device, DEVICE1, "Connect")
        async with asyncio.timeout(PATIENCE):
            while not await self.get(device, DEVICE1, "ServicesResolved"):
                await asyncio.sleep(0.01)
        return {
            interfaces[CHARACTERISTIC1]["UUID"].value: path
            for path, interfaces in (await self.objects()).items()
            if CHARACTERISTIC1 in interfaces
        }


@pytest.fixture
async def client(bluez: BlueZ) -> AsyncIterator[Client]:
    client = await Client.open()
    yield client
    client.bus.disconnect()


# bleak's own backend


def connection(accessory: Accessory, **options: Any) -> BleakClient:
    return BleakClient(accessory.address, backend=BleakClientBlueZDBus, **options)


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
        # As with BlueZ, what needs a bond brings one about.
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
    async with BleakScanner(lambda device, _: found.append(device.address), bluez={"or_patterns": [(0, 0x16, b"\x0f\x18SER")]}, **options):
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
    """AcquireNotify and AcquireWrite: each a socket, which ends what it is for when it is closed."""
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
    assert (await client.error(characteristics[COUNT], CHARACTERISTIC1, "AcquireWrite", "a{sv}", {}))[0] == "org.bluez.Error.NotSupported"


@pytest.mark.parametrize(
    ("path", "interface", "member", "signature", "body", "name"),
    [
        (ADAPTER, ADAPTER1, "SetDiscoveryFilter", "a{sv}", [{"Colour": Variant("s", "red")}], "org.bluez.Error.InvalidArguments"),
        (ADAPTER, ADAPTER1, "SetDiscoveryFilter", "a{sv}", [{"RSSI": Variant("s", "near")}], "org.bluez.Error.InvalidArguments"),
        (ADAPTER, ADAPTER1, "SetDiscoveryFilter", "a{sv}", [{"UUIDs": Variant("as", ["none"])}], "org.bluez.Error.InvalidArguments"),
        (ADAPTER, ADAPTER1, "RemoveDevice", "s", ["x"], "org.freedesktop.DBus.Error.UnknownMethod"),
        (ADAPTER, ADAPTER1, "Fly", "", [], "org.freedesktop.DBus.Error.UnknownMethod"),
        (ADAPTER, "org.bluez.Media1", "StartDiscovery", "", [], "org.freedesktop.DBus.Error.UnknownMethod"),
        (ADAPTER + "/dev_0", DEVICE1, "Connect", "", [], "org.freedesktop.DBus.Error.UnknownObject"),
        (ADAPTER, PROPERTIES, "Get", "ss", [ADAPTER1, "Colour"], "org.freedesktop.DBus.Error.InvalidArgs"),
        (ADAPTER, PROPERTIES, "GetAll", "s", ["org.bluez.Media1"], "org.freedesktop.DBus.Error.InvalidArgs"),
        (ADAPTER, PROPERTIES, "Set", "ssv", [ADAPTER1, "Address", Variant("s", "")], "org.freedesktop.DBus.Error.PropertyReadOnly"),
        (ADAPTER, PROPERTIES, "Set", "ssv", [ADAPTER1, "Alias", Variant("u", 1)], "org.freedesktop.DBus.Error.InvalidSignature"),
        ("/org/bluez", "org.bluez.AgentManager1", "RegisterAgent", "os", ["/a", "Telepathy"], "org.bluez.Error.InvalidArguments"),
        ("/org/bluez", "org.bluez.AgentManager1", "RequestDefaultAgent", "o", ["/a"], "org.bluez.Error.DoesNotExist"),
        (ADAPTER, "org.bluez.AdvertisementMonitorManager1", "UnregisterMonitor", "o", ["/m"], "org.bluez.Error.DoesNotExist"),
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
    assert (await client.call(text, CHARACTERISTIC1, "ReadValue", "a{sv}", {"offset": Variant("q", 5)}))[0] == LONG.encode()[5:]
    await client.call(count, CHARACTERISTIC1, "StartNotify")
    assert (await client.error(count, CHARACTERISTIC1, "StartNotify"))[0] == "org.bluez.Error.InProgress"


async def test_introspection(client: Client) -> None:
    (text,) = await client.call(ADAPTER, "org.freedesktop.DBus.Introspectable", "Introspect")
    assert '<interface name="org.bluez.Adapter1">' in text and '<arg type="a{sv}" direction="in"/>' in text
    (text,) = await client.call("/org", "org.freedesktop.DBus.Introspectable", "Introspect")
    assert '<node name="bluez"/>' in text


# Agents


async def with_agent(client: Client, capability: str, answers: Callable[[Message], Message | None]) -> None:
    client.bus.add_message_handler(lambda message: answers(message) if message.interface == "org.bluez.Agent1" else None)
    await client.call("/org/bluez", "org.bluez.AgentManager1", "RegisterAgent", "os", "/agent", capability)


@pytest.mark.parametrize(
    ("pairing", "capability", "asked"),
    [
        ("display", "KeyboardOnly", "RequestPasskey"),
        ("display", "KeyboardDisplay", "RequestPasskey"),
        ("display", "", "RequestPasskey"),
        ("keyboard", "DisplayOnly", "DisplayPasskey"),
        ("compare", "DisplayYesNo", "RequestConfirmation"),
        ("just-works", "NoInputNoOutput", None),
    ],
)
async def test_pairing(accessory: Accessory, client: Client, pairing: str, capability: str, asked: str | None) -> None:
    """Agents of every capability."""
    accessory.set_security({"pairing": pairing, **({"passkey": PASSKEY} if pairing == "display" else {})})
    members: list[str | None] = []
    shown: list[int] = []

    def answers(message: Message) -> Message:
        members.append(message.member)
        shown.extend(message.body[1:2])
        body = [PASSKEY] if message.member == "RequestPasskey" else []
        return Message.new_method_return(message, "u" if body else "", body)

    def reply(question: Any) -> dict[str, Any] | None:
        if question.raw["kind"] == "passkey":
            return {"value": shown[0]} if shown else None
        return {"accept": True} if question.raw["kind"] == "comparison" else None

    await with_agent(client, capability, answers)
    device = await client.find(accessory)
    async with accessory.aio.answering(reply):
        await client.call(device, DEVICE1, "Pair")
    assert members == ([asked] if asked else [])
    assert client.changes(device, "Paired") == [True] and client.changes(device, "Bonded") == [True]
    assert (await client.error(device, DEVICE1, "Pair"))[0] == "org.bluez.Error.AlreadyExists"


async def test_pairing_that_fails(accessory: Accessory, client: Client) -> None:
    accessory.set_security({"pairing": "display", "passkey": PASSKEY})
    outcome = "reject"

    def answers(message: Message) -> Message:
        if outcome == "reject":
            return Message.new_error(message, "org.bluez.Error.Rejected", "no")
        return Message.new_method_return(message, "u", [PASSKEY + 1])

    await with_agent(client, "KeyboardOnly", answers)
    device = await client.find(accessory)
    assert (await client.error(device, DEVICE1, "Pair"))[0] == "org.bluez.Error.AuthenticationRejected"
    outcome = "mistype"
    assert (await client.error(device, DEVICE1, "Pair"))[0] == "org.bluez.Error.AuthenticationFailed"
    assert (await client.error(device, DEVICE1, "CancelPairing"))[0] == "org.bluez.Error.DoesNotExist"


async def test_pairing_that_is_cancelled(accessory: Accessory, client: Client) -> None:
    accessory.set_security({"pairing": "display", "passkey": PASSKEY})
    asked = asyncio.Event()

    def answers(message: Message) -> Any:
        asked.set()
        return True

    await with_agent(client, "KeyboardOnly", answers)
    device = await client.find(accessory)
    pairing = asyncio.create_task(client.error(device, DEVICE1, "Pair"))
    await asyncio.wait_for(asked.wait(), PATIENCE)
    assert (await client.error(device, DEVICE1, "Pair"))[0] == "org.bluez.Error.InProgress"
    await client.call(device, DEVICE1, "CancelPairing")
    assert (await pairing)[0] == "org.bluez.Error.AuthenticationCanceled"
    assert not await client.get(device, DEVICE1, "Paired")


# Clients that vanish


async def test_a_client_that_vanishes_leaves_nothing(accessory: Accessory, bluez: BlueZ) -> None:
    """In the middle of any call, many times."""
    device = ""
    for turn in range(40):
        client = await Client.open()
        if not device:
            device = await client.find(accessory)
            count = (await client.resolve(device))[COUNT]
            text = next(path for path in await client.objects() if path.startswith(count.rsplit("/", 1)[0]) and path.endswith(bluez_handle(bluez, device, TEXT)))
        await with_agent(client, "KeyboardDisplay", lambda message: None)
        call: tuple[Any, ...] = [
            (ADAPTER, ADAPTER1, "StartDiscovery"),
            (count, CHARACTERISTIC1, "StartNotify"),
            (count, CHARACTERISTIC1, "AcquireNotify", "a{sv}", {}),
            (text, CHARACTERISTIC1, "ReadValue", "a{sv}", {}),
            (ADAPTER, "org.bluez.AdvertisementMonitorManager1", "RegisterMonitor", "o", "/"),
        ][turn % 5]
        attempt = asyncio.create_task(client.reply(*call))
        await asyncio.sleep((turn % 4) * 0.004)
        client.bus.disconnect()
        attempt.cancel()
        await asyncio.wait({attempt})

    def is_clean() -> bool:
        link = bluez.adapter.devices[accessory.address].link
        return bool(
            link
            and not bluez.agents.agents
            and not bluez.adapter._discoverers
            and not bluez.central.is_scanning
            and not bluez.adapter.monitors._apps
            and not any(bluez.tree.calls.values())
            and len(link._listeners) == 2
        )

    # What is left follows the device itself: Service Changed and the battery.
    await waited(is_clean)


def bluez_handle(bluez: BlueZ, device: str, uuid: str) -> str:
    link = next(one.link for one in bluez.adapter.devices.values() if one.path == device)
    assert link
    return next(f"char{one.handle:04x}" for one in link.characteristics() if one.uuid == uuid)


# bluetoothctl


class Bluetoothctl:
    """Debian's bluetoothctl, with somebody who types."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.said = ""
        self._place = 0

    @classmethod
    async def start(cls, *arguments: str) -> Bluetoothctl:
        pipe = asyncio.subprocess.PIPE
        return cls(await asyncio.create_subprocess_exec("bluetoothctl", *arguments, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.STDOUT))

    def type(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n".encode())

    async def types_until(self, line: str, pattern: str) -> None:
        """Types a line again and again: bluetoothctl may read it before what it has been told over the bus."""
        async with asyncio.timeout(PATIENCE):
            while True:
                self.type(line)
                try:
                    await self.sees(pattern, within=0.3)
                    return
                except TimeoutError:
                    pass

    async def sees(self, pattern: str, within: float = PATIENCE) -> re.Match[str]:
        """Waits for a text behind the last one that was seen."""
        assert self._process.stdout
        async with asyncio.timeout(within):
            while not (found := re.search(pattern, self.said[self._place :])):
                octets = await self._process.stdout.read(4096)
                assert octets, f"bluetoothctl has ended without {pattern!r}:\n{self.said}"
                self.said += re.sub(r"\x1b\[[0-9;]*\w|\r|\x01|\x02", "", octets.decode(errors="replace"))
        self._place += found.end()
        return found

    async def close(self) -> None:
        self.type("quit")
        await asyncio.wait_for(self._process.communicate(), PATIENCE)


async def test_bluetoothctl(accessory: Accessory, bluez: BlueZ) -> None:
    """Scan, connect, list, read, notify, disconnect, remove."""
    address = accessory.address
    shell = await Bluetoothctl.start()
    await shell.sees("Agent registered")
    shell.type("show")
    await shell.sees("Powered: yes")
    shell.type("scan on")
    await shell.sees(f"Device {address} Vault")
    shell.type("scan off")
    await shell.sees("Discovery stopped")
    shell.type(f"connect {address}")
    await shell.sees("Connection successful")
    await shell.sees("ServicesResolved: yes")
    await shell.types_until(f"info {address}", r"Connected: yes[\s\S]*Battery Percentage: 0x57 \(87\)")
    shell.type("menu gatt")
    shell.type(f"list-attributes {address}")
    await shell.sees(f"Characteristic[^\n]*\n[^\n]*\n[^\n]*{TEXT}")
    shell.type(f"select-attribute {COUNT}")
    shell.type("read")
    await shell.sees("Attempting to read")
    await shell.sees("  00 ")
    shell.type("notify on")
    await shell.sees("Notify started")
    accessory["count"].notify(0x2A)
    await shell.sees("  2a ")
    shell.type("notify off")
    await shell.sees("Notify stopped")
    shell.type(f"select-attribute {TEXT}")
    shell.type('write "0x68 0x69"')
    await accessory.aio.expect("write", characteristic="text", value="hi")
    shell.type("back")
    shell.type(f"disconnect {address}")
    await shell.sees("Successful disconnected")
    shell.type(f"remove {address}")
    await shell.sees("Device has been removed")
    await shell.close()


@pytest.mark.parametrize(
    ("pairing", "capability", "prompt", "typed"),
    [
        ("display", "KeyboardOnly", "Enter passkey", str(PASSKEY)),
        ("display", "KeyboardDisplay", "Enter passkey", str(PASSKEY)),
        ("compare", "DisplayYesNo", "Confirm passkey", "yes"),
        ("keyboard", "DisplayOnly", r"Passkey: .*?(\d{6})", None),
        ("just-works", "NoInputNoOutput", None, None),
    ],
)
async def test_bluetoothctl_pairs(
    accessory: Accessory, bluez: BlueZ, pairing: str, capability: str, prompt: str | None, typed: str | None
) -> None:
    accessory.set_security({"pairing": pairing, **({"passkey": PASSKEY} if pairing == "display" else {})})
    shown: list[int] = []

    def reply(question: Any) -> dict[str, Any] | None:
        if question.raw["kind"] == "passkey":
            return {"value": shown[0]} if shown else None
        return {"accept": True} if question.raw["kind"] == "comparison" else None

    shell = await Bluetoothctl.start("--agent", capability)
    await shell.sees("Agent registered")
    shell.type("scan on")
    await shell.sees(f"Device {accessory.address} Vault")
    shell.type("scan off")
    await shell.sees("Discovery stopped")
    async with accessory.aio.answering(reply):
        shell.type(f"pair {accessory.address}")
        if prompt:
            found = await shell.sees(prompt)
            shown.extend(int(digits) for digits in found.groups())
        if typed:
            shell.type(typed)
        await shell.sees("Pairing successful")
    shell.type(f"remove {accessory.address}")
    await shell.sees("Device has been removed")
    await shell.close()


# The command


def test_the_command(accessory: Accessory) -> None:
    """A program, its exit code, and the bus that ends with it."""
    command = [sys.executable, "-c", "from understudy.bluez._command import main; main()", "run"]
    script = "import os, sys; print(os.environ['DBUS_SYSTEM_BUS_ADDRESS']); sys.exit(7)"
    place = accessory.air.joining[0]
    ran = subprocess.run(
        [*command, "--controller", place, "--", sys.executable, "-c", script], capture_output=True, text=True, timeout=30
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


