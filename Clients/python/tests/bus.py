"""BlueZ's API with an accessory, and a program that calls it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus
from person import PATIENCE
from test_bleak import ACCESSORY as VAULT

from understudy import Accessory
from understudy.bluez import BlueZ, PrivateBus

ACCESSORY = {
    **VAULT,
    "services": [*VAULT["services"], {"include": "battery", "level": 87}],
}
ADAPTER = "/org/bluez/hci0"
ADAPTER1, DEVICE1, CHARACTERISTIC1 = "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.GattCharacteristic1"
PROPERTIES = "org.freedesktop.DBus.Properties"


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
        client = cls(
            await MessageBus(bus_address=os.environ["DBUS_SYSTEM_BUS_ADDRESS"], negotiate_unix_fd=True).connect()
        )
        await client.call(
            "/org/freedesktop/DBus",
            "org.freedesktop.DBus",
            "AddMatch",
            "s",
            "sender='org.bluez'",
            to="org.freedesktop.DBus",
        )
        return client

    def _note(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL:
            self.signals.append(message)

    async def reply(
        self, path: str, interface: str | None, member: str, signature: str = "", *body: Any, to: str = "org.bluez"
    ) -> Message:
        message = Message(
            destination=to, path=path, interface=interface, member=member, signature=signature, body=list(body)
        )
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
        """The reported values of a property."""
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


async def with_agent(client: Client, capability: str, answers: Callable[[Message], Message | None]) -> None:
    client.bus.add_message_handler(
        lambda message: answers(message) if message.interface == "org.bluez.Agent1" else None
    )
    await client.call("/org/bluez", "org.bluez.AgentManager1", "RegisterAgent", "os", "/agent", capability)
