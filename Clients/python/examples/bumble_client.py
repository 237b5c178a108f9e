"""A client with bleak's methods, based on Bumble, as an app under test might use it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bumble import hci
from bumble.core import UUID, ProtocolError
from bumble.device import Advertisement, Connection, Device, Peer
from bumble.gatt import Characteristic
from bumble.gatt_client import CharacteristicProxy
from bumble.host import Host
from bumble.transport import open_transport
from bumble.transport.common import Transport

OWN_ADDRESS = "F0:F1:F2:F3:F4:F5"
T = TypeVar("T")


class ClientError(Exception):
    """A request to the device has failed; `code` is the ATT error, if there was one."""

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


class Adapter:
    """A Bluetooth adapter: a host on a controller behind a Bumble transport (`tcp-client:127.0.0.1:40123`)."""

    def __init__(self, transport: str) -> None:
        self._name = transport
        self._transport: Transport | None = None

    async def __aenter__(self) -> Adapter:
        self._transport = await open_transport(self._name)
        host = Host(self._transport.source, self._transport.sink)
        self.device = Device(name="app", address=hci.Address(OWN_ADDRESS), host=host)
        await self.device.power_on()
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._transport
        await self._transport.close()

    async def find_device_by_name(self, name: str, timeout: float = 5) -> hci.Address | None:
        """Scans for a device with that name."""
        found: asyncio.Future[hci.Address] = asyncio.get_running_loop().create_future()

        def on_advertisement(advertisement: Advertisement) -> None:
            data = advertisement.data
            if name in (data.get(data.COMPLETE_LOCAL_NAME), data.get(data.SHORTENED_LOCAL_NAME)) and not found.done():
                found.set_result(advertisement.address)

        self.device.on(Device.EVENT_ADVERTISEMENT, on_advertisement)
        await self.device.start_scanning()
        try:
            return await asyncio.wait_for(found, timeout)
        except TimeoutError:
            return None
        finally:
            await self.device.stop_scanning()
            self.device.remove_listener(Device.EVENT_ADVERTISEMENT, on_advertisement)


class Client:
    """A connection to a device, with bleak's method names."""

    def __init__(
        self,
        adapter: Adapter,
        address: hci.Address | str,
        disconnected_callback: Callable[[Client], None] | None = None,
    ) -> None:
        self.adapter = adapter
        self.address = address if isinstance(address, hci.Address) else hci.Address(address)
        self.disconnected_callback = disconnected_callback
        self._connection: Connection | None = None
        self._characteristics: dict[UUID, CharacteristicProxy] = {}

    @property
    def is_connected(self) -> bool:
        return self._connection is not None

    @property
    def mtu_size(self) -> int:
        return self._peer.connection.att_mtu

    async def __aenter__(self) -> Client:
        await self.connect()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.disconnect()

    async def connect(self, timeout: float = 5) -> None:
        """Connects and discovers all services."""
        try:
            connection = await asyncio.wait_for(self.adapter.device.connect(self.address, timeout=timeout), timeout + 1)
        except Exception as error:
            raise ClientError(f"cannot connect to {self.address}: {error or type(error).__name__}") from error
        self._connection = connection
        self._ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        connection.on(Connection.EVENT_DISCONNECTION, self._disconnected)
        self._peer = Peer(connection)
        await self._guarded(self._peer.request_mtu(517))
        await self._guarded(self._peer.discover_all())
        self._characteristics = {
            characteristic.uuid: characteristic
            for service in self._peer.services
            for characteristic in service.characteristics
        }

    async def disconnect(self) -> None:
        if self._connection:
            await self._connection.disconnect()

    async def read_gatt_char(self, uuid: str) -> bytearray:
        return bytearray(await self._guarded(self._peer.gatt_client.read_value(self._find(uuid))))

    async def write_gatt_char(self, uuid: str, data: bytes, response: bool = True) -> None:
        await self._guarded(self._peer.gatt_client.write_value(self._find(uuid), bytes(data), with_response=response))

    async def start_notify(self, uuid: str, callback: Callable[[str, bytearray], None]) -> None:
        prefers_notifications = bool(self._find(uuid).properties & Characteristic.Properties.NOTIFY)
        await self._guarded(
            self._peer.gatt_client.subscribe(
                self._find(uuid), lambda value: callback(uuid, bytearray(value)), prefers_notifications
            )
        )

    async def stop_notify(self, uuid: str) -> None:
        await self._guarded(self._peer.gatt_client.unsubscribe(self._find(uuid), force=True))

    def _find(self, uuid: str) -> CharacteristicProxy:
        if not self._connection:
            raise ClientError("not connected")
        if (found := self._characteristics.get(UUID(uuid))) is None:
            raise ClientError(f"the device has no characteristic {uuid}")
        return found

    async def _guarded(self, operation: Awaitable[T]) -> T:
        """Awaits an operation as long as the connection lasts."""
        task = asyncio.ensure_future(operation)
        await asyncio.wait([task, self._ended], timeout=30, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
            raise ClientError("the device has disconnected" if self._ended.done() else "the device does not answer")
        try:
            return task.result()
        except ProtocolError as error:
            raise ClientError(str(error), int(error.error_code)) from error

    def _disconnected(self, reason: int) -> None:
        self._connection = None
        self._ended.set_result(reason)
        if self.disconnected_callback:
            self.disconnected_callback(self)
