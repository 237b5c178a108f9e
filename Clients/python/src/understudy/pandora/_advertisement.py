"""The advertisement of an `Advertise` stream: on the air while the stream is open."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import deque
from types import TracebackType
from typing import Self

from pandora.host_pb2 import AdvertiseRequest

from understudy import aio
from understudy._event import Event
from understudy.pandora._calls import Aborted, Unimplemented
from understudy.pandora._device import Device, quietly
from understudy.pandora._link import AccessoryLink, Link, text_of
from understudy.pandora._request import SET, Target, settings_of, target_of
from understudy.pandora._whole import whole

# How long the previous stream may take to end after it was cancelled (s).
PREDECESSOR_ENDS_WITHIN = 1.0


class Advertising:
    """The stream that advertises now: there is at most one."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.current: Advertisement | None = None

    async def begin(self, request: AdvertiseRequest) -> Advertisement:
        """Starts the accessory with the settings of a stream. Raises `CallError`."""
        settings, target = settings_of(request, self.device.name), target_of(request)
        try:
            async with asyncio.timeout(PREDECESSOR_ENDS_WITHIN):
                await self.device.bell.until(lambda: True if self.current is None else None)
        except TimeoutError as error:
            raise Unimplemented("another advertisement is on the air: cancel it first") from error
        self.current = Advertisement(self, target, request.connectable)
        try:
            self.current.accessory = await self.device.run(settings)
        except BaseException:
            self.release()
            raise
        return self.current

    def release(self) -> None:
        """Handles the end of the stream."""
        self.current = None
        self.device.bell.ring()


class Advertisement:
    """The advertisement of one stream. It ends with the `async with` block."""

    accessory: aio.Accessory

    def __init__(self, advertising: Advertising, target: Target | None, connectable: bool) -> None:
        self._advertising, self._device = advertising, advertising.device
        self._target, self._connectable = target, connectable
        self._arrivals: deque[Link] = deque()
        self._must_start = False
        self._stand_in: str | None = None

    async def __aenter__(self) -> Self:
        self._device.listeners.append(self._listen)
        try:
            await self._call_target()
            await whole(self.accessory.start_advertising(SET))
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._device.listeners.remove(self._listen)
        try:
            await whole(quietly(self.accessory, lambda accessory: accessory.stop_advertising(SET)))
            await self._forget_target()
        finally:
            self._advertising.release()

    async def next_link(self) -> Link:
        """Returns the next connection to a connectable set. Raises `Aborted` if the accessory ends."""
        while True:
            await self._device.bell.until(
                lambda: True if self._arrivals or self._must_start or self._has_ended else None
            )
            if self._has_ended:
                raise Aborted("the accessory has ended")
            if self._arrivals:
                link = self._arrivals.popleft()
                await self._forget_target()
                if self._connectable:
                    return link
            if self._must_start:
                self._must_start = False
                await self._call_target()
                await whole(self.accessory.start_advertising(SET))

    @property
    def _has_ended(self) -> bool:
        return self.accessory.program.exit_code is not None

    def _listen(self, link: AccessoryLink, event: Event) -> None:
        if link.accessory is not self.accessory:
            return
        if event.kind == "connected":
            self._arrivals.append(link)
        elif event.kind == "disconnected":
            self._must_start = True

    async def _call_target(self) -> None:
        if self._target is None or self._stand_in is not None:
            return
        peer = {"peer": text_of(self._target.address), "peer_type": self._target.type}
        if any(peer.items() <= bond.raw.items() for bond in await self.accessory.bonds()):
            return
        # A directed set needs a bond with its target. No central has this key, so none can use the bond.
        key = {"ediv": 0, "key": secrets.token_hex(16), "rand": "00" * 8}
        bond = {**peer, "key_as_peripheral": key, "key_size": 16, "authenticated": False}
        bond |= {"secure_connections": True}

        async def make() -> None:
            (made,) = await self.accessory.import_bonds(json.dumps({"bonds": [bond]}))
            self._stand_in = made.id

        await whole(make())

    async def _forget_target(self) -> None:
        stand_in, self._stand_in = self._stand_in, None
        if stand_in is not None:
            await whole(quietly(self.accessory, lambda accessory: accessory.remove_bond(stand_in)))
