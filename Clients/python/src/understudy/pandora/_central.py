"""The central of the reference device, which scans and connects.

It is Bumble's host on a controller of its own.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from typing import cast

from bumble import hci
from bumble.device import Connection
from bumble.keys import MemoryKeyStore, PairingKeys

from understudy import central
from understudy.central import Adapter, Agent, Capability, CentralError, Memory, Rejected, Sighting
from understudy.pandora._calls import Aborted, Unavailable, Unimplemented
from understudy.pandora._device import Device
from understudy.pandora._link import Link, text_of
from understudy.pandora._pairing import Pairings
from understudy.pandora._whole import whole

NO_CENTRAL = "the accessory uses the only controller: there is none for a central"
# How many sightings wait for the client; beyond that, the oldest is dropped.
MOST_UNTOLD = 1000
DISCONNECT_WITHIN = 0.5


class CentralLink(Link):
    """A connection that the reference device has made as the central."""

    def __init__(self, number: int, address: bytes, there: central.Link, device: Device, pairings: Pairings) -> None:
        parameters = there.connection.parameters
        super().__init__(
            number,
            address,
            parameters.connection_interval,
            parameters.peripheral_latency,
            parameters.supervision_timeout,
        )
        self._there, self._device = there, device
        self._pairing: asyncio.Task[None] | None = None
        there.agent = Client(self, pairings)
        there.on_end.append(lambda _: device.drop(self))
        connection = there.connection
        connection.on(Connection.EVENT_PAIRING, self._paired)
        connection.on(Connection.EVENT_PAIRING_FAILURE, self._not_paired)
        connection.on(Connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, self._encrypted)

    async def disconnect(self) -> None:
        await self._there.disconnect()

    async def pair(self) -> None:
        if self._pairing is None or self._pairing.done():
            self._pairing = asyncio.create_task(self._pair())

    async def _pair(self) -> None:
        settled = self.paired + self.failed
        try:
            await (self._there.encrypt() if self._there.is_bonded else self._there.pair())
        except CentralError:
            if self.is_open and self.paired + self.failed == settled:
                self._not_paired()

    def _paired(self, keys: PairingKeys) -> None:
        self.paired += 1
        self._protect(keys)

    def _not_paired(self, *_: object) -> None:
        self.failed += 1
        self._device.bell.ring()

    def _encrypted(self) -> None:
        """Handles encryption with the key of a bond; if there is no key yet, pairing is still in progress."""
        connection = self._there.connection
        store = cast(MemoryKeyStore, connection.device.keystore)
        if connection.encryption and (keys := store.all_keys.get(str(connection.peer_address))):
            self._protect(keys)

    def _protect(self, keys: PairingKeys) -> None:
        connection, key = self._there.connection, keys.ltk or keys.ltk_central
        if key and key.authenticated:
            self.protection = "secure-connections" if keys.ltk else "authenticated"
        else:
            self.protection = "encrypted" if connection.encryption else "none"
        self._device.bell.ring()


class Client(Agent):
    """The user of the central. The client of `OnPairing` answers as this user."""

    def __init__(self, link: CentralLink, pairings: Pairings) -> None:
        self.capability = cast(Capability, pairings.device.security.get("pairing", "just-works"))
        self._link, self._pairings = link, pairings

    async def consent(self) -> None:
        if self._pairings.is_streamed:
            await self._agreed("consent")

    async def confirm(self, passkey: int) -> None:
        await self._agreed("comparison", passkey)

    async def request_passkey(self) -> int:
        return int((await self._agreed("passkey"))["value"])

    async def display_passkey(self, passkey: int) -> None:
        if self._pairings.is_streamed:
            self._pairings.tell(self._link, "display", passkey, lambda _: None)

    async def _agreed(self, kind: str, digits: int | None = None) -> dict[str, int]:
        if not self._pairings.is_streamed:
            raise Rejected("no client streams pairing events")
        reply: asyncio.Future[dict[str, int]] = asyncio.get_running_loop().create_future()
        asked = self._pairings.tell(
            self._link, kind, digits, lambda given: None if reply.done() else reply.set_result(dict(given))
        )
        try:
            given = await reply
        finally:
            asked.is_open = False
        if given.get("accept") is False:
            raise Rejected("the client has refused")
        return given


class Central:
    """Scans and connects. Its controller is opened when it is first needed."""

    def __init__(self, device: Device, place: str | None, pairings: Pairings) -> None:
        self._device, self._place, self._pairings = device, place, pairings
        self._memory = Memory()
        self._adapter: Adapter | None = None
        self._turn = asyncio.Lock()
        device.on_reset.append(self._reset)

    async def _opened(self) -> Adapter:
        async with self._turn:
            if self._adapter and self._adapter.lost.done():
                self._adapter = None
            if self._adapter is None:
                if self._place is None:
                    raise Unimplemented(NO_CENTRAL)
                try:
                    self._adapter = await whole(Adapter.open(self._place, self._memory), Adapter.close)
                except CentralError as error:
                    raise Unavailable(str(error)) from error
            return self._adapter

    async def scan(self, *, active: bool) -> AsyncGenerator[Sighting, None]:
        """Yields every sighting until the generator is closed."""
        adapter, heard, bell = await self._opened(), deque[Sighting](maxlen=MOST_UNTOLD), self._device.bell

        def found(sighting: Sighting) -> None:
            heard.append(sighting)
            bell.ring()

        try:
            scan = await whole(adapter.scan(found, active=active), central.Scan.stop)
        except CentralError as error:
            raise Aborted(str(error)) from error
        try:
            while True:
                await bell.until(lambda: True if heard else None)
                yield heard.popleft()
        finally:
            try:
                await whole(scan.stop())
            except CentralError:
                # The radio has ended, and the scan with it.
                pass

    async def connect(
        self, address: bytes, address_type: str, own_address_type: hci.OwnAddressType
    ) -> CentralLink | None:
        """Connects to a device. Returns None if it is already connected."""
        adapter = await self._opened()
        type = hci.AddressType.PUBLIC_DEVICE if address_type == "public" else hci.AddressType.RANDOM_DEVICE
        target = hci.Address(address[::-1], type)
        sighting = Sighting(text_of(address), address_type, target, 127, True, ())
        if sighting.address in adapter.links:
            return None
        try:
            there = await adapter.connect(sighting, own_address_type=own_address_type)
        except CentralError as error:
            raise Aborted(str(error)) from error
        link = CentralLink(self._device.next_number(), address, there, self._device, self._pairings)
        self._device.links[link.number] = link
        self._device.bell.ring()
        return link

    def is_bonded(self, address: str) -> bool:
        """Whether there are keys for a device."""
        return any(name in self._memory.keys.all_keys for name in (address, f"{address}/P"))

    async def forget(self, address: str) -> None:
        """Removes the keys for a device."""
        for name in (address, f"{address}/P"):
            await self._memory.keys.delete(name)

    async def close(self) -> None:
        """Ends the connections and releases the controller."""
        adapter, self._adapter = self._adapter, None
        if adapter:
            # A peer that is reset at the same time does not acknowledge the end of its connection.
            endings = [asyncio.create_task(link.disconnect()) for link in adapter.links.values()]
            if endings:
                await asyncio.wait(endings, timeout=DISCONNECT_WITHIN)
            for link in list(adapter.links.values()):
                link.end(hci.HCI_CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR)
            await adapter.close()
            if endings:
                await asyncio.wait(endings)

    async def _reset(self, bonds: bool) -> None:
        await self.close()
        if bonds:
            self._memory = Memory()
