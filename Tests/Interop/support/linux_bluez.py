"""BlueZ in the virtual machine, over its message bus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.auth import AuthAnonymous

from support.program import PATIENCE

SERVICE = "org.bluez"
ADAPTER, DEVICE, BATTERY = "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.Battery1"
GATT_SERVICE, CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
AGENT, AGENT_PATH = "org.bluez.Agent1", "/agent"
PROPERTIES, OBJECT_MANAGER = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"

Values = dict[str, Any]

# How long one discovery takes (s); an inquiry usually needs less than half of it.
DISCOVERY = 6


class BlueZError(Exception):
    """An error that BlueZ has returned."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(f"{name}: {text}")
        self.name, self.text = name.removeprefix("org.bluez.Error."), text


def plain(value: Any) -> Any:
    """Returns a value without the variants around and in it."""
    if isinstance(value, Variant):
        return plain(value.value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


@dataclass
class User:
    """Somebody at the Linux machine: what its agent asked or displayed, and the answers."""

    passkey: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    accepts: bool = True
    asked: asyncio.Queue[tuple[str, list[Any]]] = field(default_factory=asyncio.Queue)

    async def heard(self, member: str) -> list[Any]:
        """Returns the arguments of the next call of the agent, which must be this one."""
        called, body = await asyncio.wait_for(self.asked.get(), PATIENCE)
        assert called == member, (called, body)
        return body[1:]


class BlueZ:
    """A client of BlueZ. It knows every object, and so it can wait for any condition on them."""

    def __init__(self, bus: MessageBus) -> None:
        self.bus = bus
        self.objects: dict[str, dict[str, Values]] = {}
        # The values that characteristics have notified or indicated, and other changes of their `Value`.
        self.values: dict[str, asyncio.Queue[bytes]] = {}
        self._changed = asyncio.Event()
        self._user: User | None = None
        self._answers: set[asyncio.Task[None]] = set()
        bus.add_message_handler(self._receive)

    @classmethod
    async def open(cls, address: str) -> Self:
        bluez = cls(await MessageBus(bus_address=address, auth=AuthAnonymous()).connect())
        await bluez.call(
            "/org/freedesktop/DBus",
            "org.freedesktop.DBus",
            "AddMatch",
            "s",
            f"sender='{SERVICE}'",
            to="org.freedesktop.DBus",
        )
        try:
            (objects,) = await bluez.call("/", OBJECT_MANAGER, "GetManagedObjects")
        except BlueZError as error:
            # bluetoothd is still starting; signals will tell what it has.
            if not error.name.endswith("ServiceUnknown"):
                raise
        else:
            # Signals that came before the answer are in it.
            bluez.objects = plain(objects)
        return bluez

    def close(self) -> None:
        self.bus.disconnect()

    async def call(
        self,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        *body: Any,
        to: str = SERVICE,
        within: float = PATIENCE,
    ) -> list[Any]:
        message = Message(
            destination=to, path=path, interface=interface, member=member, signature=signature, body=list(body)
        )
        reply = await asyncio.wait_for(self.bus.call(message), within)
        assert reply
        if reply.message_type is MessageType.ERROR:
            raise BlueZError(reply.error_name or "", str(reply.body[0]) if reply.body else "")
        return reply.body

    async def set(self, path: str, interface: str, name: str, signature: str, value: Any) -> None:
        await self.call(path, PROPERTIES, "Set", "ssv", interface, name, Variant(signature, value))

    def get(self, path: str, interface: str, name: str) -> Any:
        """Returns a property, or None as long as it does not exist."""
        return self.objects.get(path, {}).get(interface, {}).get(name)

    async def until(self, condition: Callable[[], Any], within: float = PATIENCE) -> Any:
        """Waits for a condition on the objects. Returns its value, which is true."""
        async with asyncio.timeout(within):
            while not (value := condition()):
                self._changed.clear()
                await self._changed.wait()
            return value

    # What BlueZ sends.

    def _receive(self, message: Message) -> bool:
        if message.message_type is MessageType.SIGNAL and message.path:
            self._note(message)
        elif message.interface == AGENT and message.message_type is MessageType.METHOD_CALL:
            answering = asyncio.create_task(self._answer(message))
            self._answers.add(answering)
            answering.add_done_callback(self._answers.discard)
            return True
        return False

    def _note(self, message: Message) -> None:
        if message.member == "InterfacesAdded":
            path, interfaces = message.body
            self.objects.setdefault(path, {}).update(plain(interfaces))
        elif message.member == "InterfacesRemoved":
            path, names = message.body
            known = self.objects.get(path, {})
            for name in names:
                known.pop(name, None)
            if not known:
                self.objects.pop(path, None)
        elif message.member == "PropertiesChanged" and message.path:
            interface, changes, gone = message.body
            values = self.objects.setdefault(message.path, {}).setdefault(interface, {})
            values.update(plain(changes))
            for name in gone:
                values.pop(name, None)
            if interface == CHARACTERISTIC and "Value" in changes and message.path in self.values:
                self.values[message.path].put_nowait(bytes(changes["Value"].value))
        self._changed.set()

    # The agent.

    async def register(self, capability: str) -> User:
        """Registers an agent, and returns the user behind it."""
        await self.unregister()
        self._user = User()
        await self.call("/org/bluez", "org.bluez.AgentManager1", "RegisterAgent", "os", AGENT_PATH, capability)
        await self.call("/org/bluez", "org.bluez.AgentManager1", "RequestDefaultAgent", "o", AGENT_PATH)
        return self._user

    async def unregister(self) -> None:
        if self._user:
            self._user = None
            await self.call("/org/bluez", "org.bluez.AgentManager1", "UnregisterAgent", "o", AGENT_PATH)

    async def _answer(self, message: Message) -> None:
        user = self._user
        assert user and message.member
        user.asked.put_nowait((message.member, message.body))
        if not user.accepts:
            self.bus.send(Message.new_error(message, "org.bluez.Error.Rejected", "no"))
        elif message.member == "RequestPasskey":
            self.bus.send(Message.new_method_return(message, "u", [await user.passkey]))
        else:
            self.bus.send(Message.new_method_return(message))


@dataclass
class Adapter:
    """An adapter of the virtual machine."""

    bluez: BlueZ
    path: str

    async def call(self, member: str, signature: str = "", *body: Any) -> list[Any]:
        return await self.bluez.call(self.path, ADAPTER, member, signature, *body)

    async def power(self, on: bool) -> None:
        await self.bluez.set(self.path, ADAPTER, "Powered", "b", on)
        await self.bluez.until(lambda: self.bluez.get(self.path, ADAPTER, "Powered") is on)

    def device(self, address: str) -> Device:
        return Device(self, f"{self.path}/dev_{address.replace(':', '_')}")

    async def _discover(self, transport: str, found: Callable[[], Any]) -> Any:
        """Discovers until a condition holds. Returns its value.

        Discovery begins anew after a while: Linux ignores reports that come before it knows that it is scanning, and the controller reports
        every device once.
        """
        await self.call("SetDiscoveryFilter", "a{sv}", {"Transport": Variant("s", transport)})
        async with asyncio.timeout(PATIENCE):
            while True:
                await self.call("StartDiscovery")
                try:
                    with suppress(TimeoutError):
                        return await self.bluez.until(found, within=DISCOVERY)
                finally:
                    await self.call("StopDiscovery")

    async def find(self, address: str, transport: str) -> Device:
        """Discovers the device with an address."""
        device = self.device(address)
        await self._discover(transport, lambda: device.path in self.bluez.objects)
        return device

    async def find_service(self, uuid: str) -> Device:
        """Discovers a device that has a service, over LE."""
        found = await self._discover(
            "le", lambda: [path for path, values in self._devices() if uuid in values["UUIDs"]]
        )
        return Device(self, found[0])

    def _devices(self) -> list[tuple[str, Values]]:
        return [
            (path, interfaces[DEVICE])
            for path, interfaces in self.bluez.objects.items()
            if DEVICE in interfaces and path.startswith(f"{self.path}/")
        ]

    async def forget_all(self) -> None:
        """Removes every device, with its connection and its bond."""
        for path, _ in self._devices():
            await self.call("RemoveDevice", "o", path)


@dataclass
class Device:
    """A device that BlueZ knows."""

    adapter: Adapter
    path: str

    @property
    def bluez(self) -> BlueZ:
        return self.adapter.bluez

    def get(self, name: str) -> Any:
        return self.bluez.get(self.path, DEVICE, name)

    async def call(self, member: str, signature: str = "", *body: Any) -> list[Any]:
        return await self.bluez.call(self.path, DEVICE, member, signature, *body)

    async def is_(self, name: str, value: Any = True) -> None:
        """Waits until a property has a value."""
        await self.bluez.until(lambda: self.get(name) == value)

    async def connect(self) -> None:
        """Connects, and waits until BlueZ knows the services."""
        await self.call("Connect")
        await self.is_("ServicesResolved")

    async def disconnect(self) -> None:
        await self.call("Disconnect")
        await self.is_("Connected", False)

    async def pair(self) -> None:
        await self.call("Pair")

    async def remove(self) -> None:
        await self.adapter.call("RemoveDevice", "o", self.path)

    def services(self) -> list[str]:
        """The UUIDs of its services, in the order of their handles."""
        found = sorted(
            path
            for path, interfaces in self.bluez.objects.items()
            if path.startswith(f"{self.path}/") and GATT_SERVICE in interfaces
        )
        return [self.bluez.get(path, GATT_SERVICE, "UUID") for path in found]

    def characteristics(self, uuid: str) -> list[Characteristic]:
        return [
            Characteristic(self.bluez, path)
            for path, interfaces in self.bluez.objects.items()
            if path.startswith(f"{self.path}/") and interfaces.get(CHARACTERISTIC, {}).get("UUID") == uuid
        ]

    def characteristic(self, uuid: str) -> Characteristic:
        (characteristic,) = self.characteristics(uuid)
        return characteristic


@dataclass
class Characteristic:
    """A characteristic of a device."""

    bluez: BlueZ
    path: str

    async def call(self, member: str, signature: str = "", *body: Any) -> list[Any]:
        return await self.bluez.call(self.path, CHARACTERISTIC, member, signature, *body)

    async def read(self) -> bytes:
        return bytes((await self.call("ReadValue", "a{sv}", {}))[0])

    async def write(self, value: bytes, kind: str = "request") -> None:
        await self.call("WriteValue", "aya{sv}", value, {"type": Variant("s", kind)})

    async def subscribe(self) -> asyncio.Queue[bytes]:
        """Subscribes, and returns the values that arrive."""
        queue = self.bluez.values.setdefault(self.path, asyncio.Queue())
        await self.call("StartNotify")
        return queue
