"""A Pandora server with an accessory, clients of it, and a central as the device under test."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Self

import grpc
import grpc.aio
import pytest
from bumble import hci
from bumble.device import Connection as BumbleConnection
from bumble.device import Device
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport
from pandora.host_grpc_aio import Host
from pandora.host_pb2 import PUBLIC, Connection
from pandora.l2cap_grpc_aio import L2CAP
from pandora.security_grpc_aio import Security, SecurityStorage

from understudy import aio
from understudy.pandora import Pandora

# The longest wait for an event that must come (s).
PATIENCE = 20
IO = PairingDelegate.IoCapability
DUT = "F0:F1:F2:F3:F4:F5"


class Person(PairingDelegate):
    """The user of the device under test: accepts everything. A queue holds displayed passkeys and passkeys to type."""

    def __init__(self, capability: IO, passkeys: asyncio.Queue[int]) -> None:
        super().__init__(capability)
        self.passkeys = passkeys

    async def get_number(self) -> int:
        return await self.passkeys.get()

    async def display_number(self, number: int, digits: int) -> None:
        self.passkeys.put_nowait(number)


class Dut:
    """Bumble as a central on the radio."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.passkeys: asyncio.Queue[int] = asyncio.Queue()

    @classmethod
    async def open(cls, place: str, stack: AsyncExitStack, *, classic: bool = False) -> Self:
        transport = await stack.enter_async_context(await open_transport(place))
        device = Device.with_hci("Central", hci.Address(DUT), transport.source, transport.sink)
        device.classic_enabled = classic
        await device.power_on()
        return cls(device)

    def capability(self, capability: IO) -> None:
        """Sets the IO capability for the next pairings."""
        self.device.pairing_config_factory = lambda connection: PairingConfig(
            delegate=Person(capability, self.passkeys)
        )

    async def bonded(self) -> None:
        """Waits until it has stored the keys of a pairing; the other side has them earlier."""
        async with asyncio.timeout(PATIENCE):
            while not await self.device.keystore.get_all():
                await asyncio.sleep(0.01)

    async def advertise(self, data: bytes) -> None:
        """Starts advertising as a peripheral."""
        await self.device.start_advertising(
            own_address_type=hci.OwnAddressType.RANDOM,
            advertising_data=data,
            advertising_interval_min=20,
            advertising_interval_max=20,
        )

    async def connect(self, address: bytes) -> BumbleConnection:
        target = hci.Address(address[::-1], hci.Address.PUBLIC_DEVICE_ADDRESS)
        connection = await self.device.connect(target, own_address_type=hci.OwnAddressType.RANDOM, timeout=PATIENCE)
        connection.on(connection.EVENT_SECURITY_REQUEST, lambda _: self._pair(connection))
        return connection

    def _pair(self, connection: BumbleConnection) -> None:
        async def pair() -> None:
            # The other side reports the outcome.
            with contextlib.suppress(Exception):
                await connection.pair()

        self._pairing = asyncio.create_task(pair())


@dataclass
class Reference:
    """Everything that a test needs."""

    pandora: Pandora
    channel: grpc.aio.Channel
    dut: Dut

    @property
    def host(self) -> Host:
        return Host(self.channel)

    @property
    def security(self) -> Security:
        return Security(self.channel)

    @property
    def storage(self) -> SecurityStorage:
        return SecurityStorage(self.channel)

    @property
    def l2cap(self) -> L2CAP:
        return L2CAP(self.channel)

    async def accessory(self) -> aio.Accessory:
        return await self.pandora.device.running()

    async def connected(self) -> tuple[Connection, BumbleConnection]:
        """Connects the device under test; returns the connection of the reference device and its own."""
        advertisement: Any = self.host.Advertise(legacy=True, connectable=True, own_address_type=PUBLIC)
        there = await self.dut.connect(self.pandora.device.address)
        here = (await anext(aiter(advertisement))).connection
        advertisement.cancel()
        return here, there

    async def busy(self, calls: int = 1) -> None:
        """Waits until this number of calls is in progress."""
        bell = self.pandora.device.bell
        await bell.until(lambda: True if bell.calls >= calls else None)

    async def at_rest(self) -> None:
        """Waits until no call is in progress and none has left anything behind."""
        bell = self.pandora.device.bell
        await bell.until(lambda: True if bell.calls == 0 else None)
        accessory = await self.accessory()
        deadline = asyncio.get_running_loop().time() + PATIENCE
        # The last requests of an ended call may still be on their way to the accessory.
        while (left := await self.left(accessory)) and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.01)
        assert left == []

    async def left(self, accessory: aio.Accessory) -> list[object]:
        """Returns what calls have left behind."""
        return [
            *(entry for entry in await accessory.advertising() if entry.on),
            *await accessory.published(),
            *await accessory.questions(),
            *(["a wait"] if self.pandora.device.bell.is_awaited else []),
        ]


@pytest.fixture
async def classic() -> AsyncIterator[Reference]:
    """With BR/EDR; the device under test is discoverable and connectable."""
    async with AsyncExitStack() as stack:
        pandora = await stack.enter_async_context(await Pandora.start("battery", classic=True))
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{pandora.port}"))
        dut = await Dut.open(pandora.joining[1], stack, classic=True)
        await dut.device.set_discoverable(True)
        await dut.device.set_connectable(True)
        yield Reference(pandora, channel, dut)


@pytest.fixture
async def reference() -> AsyncIterator[Reference]:
    async with AsyncExitStack() as stack:
        pandora = await stack.enter_async_context(await Pandora.start("battery"))
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{pandora.port}"))
        yield Reference(pandora, channel, await Dut.open(pandora.joining[1], stack))
