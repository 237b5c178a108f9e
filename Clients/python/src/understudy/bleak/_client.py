"""The client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from bleak.args import SizedBuffer
from bleak.assigned_numbers import CharacteristicPropertyName
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.client import BaseBleakClient, NotifyCallback
from bleak.backends.descriptor import BleakGATTDescriptor
from bleak.backends.device import BLEDevice
from bleak.backends.service import BleakGATTService, BleakGATTServiceCollection
from bleak.exc import BleakDeviceNotFoundError, BleakError, BleakGATTProtocolError
from bumble import hci

from understudy.bleak._radio import Radio, current
from understudy.central import Adapter, Agent, ATTFailure, CentralError, Characteristic, Link, Service, Sighting

NOT_CONNECTED = "Not connected"
SMALLEST_MTU = 23


@contextmanager
def translated() -> Iterator[None]:
    """Translates failures of the central to the exceptions of bleak's backends."""
    try:
        yield
    except ATTFailure as failure:
        raise BleakGATTProtocolError(failure.code) from failure
    except CentralError as error:
        raise BleakError(str(error)) from error


class BleakClientUnderstudy(BaseBleakClient):
    """A connection to a device on Understudy's radio. `agent` answers for the user when the device pairs."""

    def __init__(
        self,
        address_or_ble_device: BLEDevice | str,
        services: set[str] | None = None,
        *,
        disconnected_callback: Callable[[], None] | None = None,
        timeout: float = 30,
        agent: Agent | None = None,
        radio: Radio | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(address_or_ble_device, disconnected_callback=disconnected_callback, timeout=timeout)
        self._device = address_or_ble_device if isinstance(address_or_ble_device, BLEDevice) else None
        self._name = self._device.name if self._device else None
        self._wanted = services
        self._agent = agent
        self._given = radio
        self._radio: Radio | None = None
        self._adapter: Adapter | None = None
        self._link: Link | None = None
        self._listeners: dict[int, Callable[[bytes], None]] = {}
        self._releasing: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        """The name that the device advertised, or its address with dashes."""
        return self._name or self.address.replace(":", "-")

    @property
    def mtu_size(self) -> int:
        """The ATT_MTU."""
        return self._link.mtu if self._link else SMALLEST_MTU

    @property
    def is_connected(self) -> bool:
        return self._link is not None and self._link.is_open

    def _open_link(self) -> Link:
        if self._link is None or not self._link.is_open:
            raise BleakError(NOT_CONNECTED)
        return self._link

    # Connecting

    async def connect(self, pair: bool = False, **kwargs: Any) -> None:
        """Connects and discovers the services; pairs first if requested and there is no bond.

        Raises `BleakDeviceNotFoundError` if no device with the address is seen, `TimeoutError`, and `BleakError`.
        """
        if self.is_connected:
            raise BleakError("Client is already connected")
        timeout = kwargs.get("timeout", self._timeout)
        if self._releasing:
            await self._releasing
        self._radio = self._given or current()
        self._adapter = adapter = await self._radio.acquire()
        link: Link | None = None
        try:
            sighting = await self._find(adapter, timeout)
            self._name = self._name or sighting.name
            with translated():
                async with asyncio.timeout(timeout):
                    link = await adapter.connect(sighting)
                    link.agent = self._agent or link.agent
                    if pair and not link.is_bonded:
                        await link.pair(self._agent)
                    await link.prepare()
            if not link.is_open:
                raise BleakError("the device has disconnected")
        except BaseException:
            if link:
                await link.disconnect()
            await self._radio.release(adapter)
            raise
        self._link = link
        self.address = link.address
        self.services = self._collect(link)
        link.on_end.append(self._ended)

    async def _find(self, adapter: Adapter, timeout: float) -> Sighting:
        """Returns the device as it was last seen; scans for it if only an address is given, as bleak always does."""
        address = self.address.upper()
        if self._device is not None:
            if known := adapter.memory.sightings.get(address):
                return known
            details = self._device.details
            kind = details.get("address_type") if isinstance(details, dict) else None
            return _imagined(address, "public" if kind == "public" else "random")
        if link := adapter.links.get(address):
            return link.sighting
        found: asyncio.Future[Sighting] = asyncio.get_running_loop().create_future()

        def see(sighting: Sighting) -> None:
            if sighting.address == address and not found.done():
                found.set_result(sighting)

        with translated():
            scan = await adapter.scan(see)
            try:
                async with asyncio.timeout(timeout):
                    return await found
            except TimeoutError:
                raise BleakDeviceNotFoundError(
                    self.address, f"Device with address {self.address} was not found."
                ) from None
            finally:
                await scan.stop()

    def _ended(self, reason: int) -> None:
        """Handles the end of the connection, by either side."""
        self.services = None
        self._link = None
        self._listeners.clear()
        assert self._radio and self._adapter
        self._releasing = asyncio.ensure_future(self._radio.release(self._adapter))
        if self._disconnected_callback:
            self._disconnected_callback()

    async def disconnect(self) -> None:
        """Disconnects; does nothing without a connection."""
        if self._link:
            await self._link.disconnect()
        if self._releasing:
            await self._releasing
            self._releasing = None

    # Pairing

    async def pair(self, *args: Any, agent: Agent | None = None, **kwargs: Any) -> None:
        """Pairs, unless there is a bond; `agent`, or the client's or the radio's agent, answers for the user."""
        link = self._open_link()
        if not link.is_bonded:
            with translated():
                await link.pair(agent or self._agent)
        self.address = link.address

    async def unpair(self) -> None:
        """Disconnects, and deletes the bond. Raises `BleakDeviceNotFoundError` if the device was never seen."""
        radio = self._radio or self._given or current()
        address = self.address.upper()
        adapter = await radio.acquire()
        try:
            if address not in adapter.memory.sightings and not adapter.is_bonded(address):
                raise BleakDeviceNotFoundError(self.address, f"Device with address {self.address} was not found.")
            with translated():
                await adapter.forget(address)
        finally:
            await radio.release(adapter)
        await self.disconnect()

    # Services

    def _collect(self, link: Link) -> BleakGATTServiceCollection:
        collection = BleakGATTServiceCollection()
        for service in link.services:
            if service.primary and (self._wanted is None or service.uuid in self._wanted):
                self._add(collection, service, link)
        return collection

    def _add(self, collection: BleakGATTServiceCollection, service: Service, link: Link) -> None:
        group = BleakGATTService(service, service.handle, service.uuid)
        collection.add_service(group)
        for one in service.characteristics:
            characteristic = BleakGATTCharacteristic(
                one,
                one.handle,
                one.uuid,
                cast(list[CharacteristicPropertyName], one.properties),
                lambda: link.mtu - 3,
                group,
            )
            collection.add_characteristic(characteristic)
            for descriptor in one.descriptors:
                collection.add_descriptor(
                    BleakGATTDescriptor(descriptor, descriptor.handle, descriptor.uuid, characteristic)
                )

    # Values

    async def read_gatt_char(
        self, characteristic: BleakGATTCharacteristic, *, use_cached: bool = False, **kwargs: Any
    ) -> bytearray:
        return await self._read(cast(Characteristic, characteristic.obj).value_handle, use_cached)

    async def read_gatt_descriptor(
        self, descriptor: BleakGATTDescriptor, *, use_cached: bool = False, **kwargs: Any
    ) -> bytearray:
        return await self._read(descriptor.handle, use_cached)

    async def _read(self, handle: int, use_cached: bool) -> bytearray:
        link = self._open_link()
        if use_cached and handle in link.values:
            return bytearray(link.values[handle])
        with translated():
            return bytearray(await link.read(handle))

    async def write_gatt_char(self, characteristic: BleakGATTCharacteristic, data: SizedBuffer, response: bool) -> None:
        link = self._open_link()
        handle = cast(Characteristic, characteristic.obj).value_handle
        with translated():
            await (link.write if response else link.command)(handle, bytes(data))

    async def write_gatt_descriptor(self, descriptor: BleakGATTDescriptor, data: SizedBuffer) -> None:
        with translated():
            await self._open_link().write(descriptor.handle, bytes(data))

    # Subscriptions

    async def start_notify(
        self, characteristic: BleakGATTCharacteristic, callback: NotifyCallback, **kwargs: Any
    ) -> None:
        """Subscribes to notifications, or to indications if there are no notifications; replaces an earlier callback."""
        link = self._open_link()
        subject = cast(Characteristic, characteristic.obj)
        if not subject.bits & 0x30:
            raise BleakError(f"Characteristic {subject.uuid} neither notifies nor indicates")

        def listener(value: bytes) -> None:
            callback(bytearray(value))

        before = self._listeners.get(subject.handle)
        self._listeners[subject.handle] = listener
        with translated():
            try:
                await link.subscribe(subject, listener)
            except BaseException:
                self._listeners.pop(subject.handle, None)
                raise
            if before:
                await link.unsubscribe(subject, before)

    async def stop_notify(self, characteristic: BleakGATTCharacteristic) -> None:
        link = self._open_link()
        subject = cast(Characteristic, characteristic.obj)
        if listener := self._listeners.pop(subject.handle, None):
            with translated():
                await link.unsubscribe(subject, listener)


def _imagined(address: str, kind: str) -> Sighting:
    """Returns a device that was not seen on this radio, from the data of a BLEDevice."""
    number = hci.AddressType.PUBLIC_DEVICE if kind == "public" else hci.AddressType.RANDOM_DEVICE
    try:
        on_air = hci.Address(address, number)
    except ValueError as error:
        raise BleakDeviceNotFoundError(address, f"{address} is no Bluetooth address") from error
    return Sighting(address, kind, on_air, -127, True, ())
