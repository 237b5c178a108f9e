"""LE credit-based channels of the reference device: those that it opens, and those to the PSMs that it publishes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pandora.l2cap_pb2 import CreditBasedChannelRequest

from understudy import aio
from understudy._event import Event
from understudy.pandora._calls import WasReset
from understudy.pandora._device import Device, quietly
from understudy.pandora._link import AccessoryLink
from understudy.pandora._whole import whole

# How many octets a channel holds for the client before the central has to wait.
MOST_UNRECEIVED = 1 << 20
# How many closed channels are kept for `WaitDisconnection` and `Receive`.
MOST_CLOSED = 256


@dataclass
class Channel:
    """A channel. Its number is never reused."""

    number: int
    link: AccessoryLink
    cid: int
    """The CID on this side."""
    psm: int
    is_incoming: bool
    is_open: bool = True
    was_waited_for: bool = False
    has_stream: bool = False
    """Whether it has a socket for its octets, as incoming channels do."""
    received: deque[bytes] = field(default_factory=deque)

    @property
    def is_full(self) -> bool:
        return sum(map(len, self.received)) >= MOST_UNRECEIVED


@dataclass
class Publication:
    """A PSM to which centrals can open channels, while a call waits for a channel or a channel is open."""

    id: str
    psm: int
    accessory: aio.Accessory
    server: asyncio.Server
    waiting: int = 1
    """The number of calls that wait for a channel."""


class Channels:
    """All channels, by number."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.known: dict[int, Channel] = {}
        self._count = 0
        self._publications: dict[int, Publication] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        device.listeners.append(self._listen)

    def of(self, link: AccessoryLink, cid: int) -> Channel | None:
        """Returns the open channel of a link with this CID on this side."""
        return next((channel for channel in self.known.values() if _is(channel, link, cid)), None)

    def _listen(self, link: AccessoryLink, event: Event) -> None:
        if event.kind == "channel-opened":
            self._count += 1
            self.known[self._count] = Channel(self._count, link, event["channel"], event["psm"], event["incoming"])
            closed = [channel.number for channel in self.known.values() if not channel.is_open]
            for number in closed[:-MOST_CLOSED]:
                del self.known[number]
        elif event.kind == "disconnected":
            for channel in self.known.values():
                channel.is_open = channel.is_open and channel.link is not link
        elif event.kind == "sdu" and (found := self.of(link, event["channel"])):
            found.received.append(event.octets)
        elif event.kind == "channel-closed":
            if found := self.of(link, event["channel"]):
                found.is_open = False
            else:
                # The peer refused to open it.
                link.refused_channels += 1
        if event.kind in ("disconnected", "channel-closed") and self._publications:
            self._keep(self._end_unused())

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Publishing

    async def publish(self, accessory: aio.Accessory, request: CreditBasedChannelRequest) -> Publication:
        """Publishes a PSM, unless it is published already; `withdraw` undoes that. Raises `Refused`."""
        publication = self._publications.get(request.spsm)
        if publication is None or publication.accessory is not accessory:
            return await self._publish(accessory, request)
        publication.waiting += 1
        return publication

    async def _publish(self, accessory: aio.Accessory, request: CreditBasedChannelRequest) -> Publication:
        path, id = Path(self.device.folder.name, f"psm-{request.spsm}"), f"pandora-{request.spsm}"
        path.unlink(missing_ok=True)

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._keep(self._read(request.spsm, reader, writer))

        server = await asyncio.start_unix_server(accept, path)
        self._publications[request.spsm] = publication = Publication(id, request.spsm, accessory, server)
        try:
            definition = {"id": id, "psm": request.spsm, "mtu": request.mtu, "mps": request.mps}
            definition |= {"credits": request.initial_credit, "handler": f"unix:{path}"}
            await whole(accessory.publish(definition))
        except BaseException:
            await whole(self._end(publication))
            raise
        return publication

    async def withdraw(self, publication: Publication) -> None:
        """Ends the wait of one call for a channel."""
        publication.waiting -= 1
        await whole(self._end_unused())

    async def _end_unused(self) -> None:
        """Ends publications that no call waits for, except those with open channels, which would close."""
        used = {channel.psm for channel in self.known.values() if channel.is_open and channel.is_incoming}
        for publication in list(self._publications.values()):
            if publication.waiting == 0 and publication.psm not in used:
                await self._end(publication)

    async def _end(self, publication: Publication) -> None:
        if self._publications.get(publication.psm) is publication:
            del self._publications[publication.psm]
        publication.server.close()
        await quietly(publication.accessory, lambda accessory: accessory.unpublish(publication.id))

    async def forget(self, bonds: bool) -> None:
        """Drops the publications after a reset of the accessory, which has removed them."""
        for publication in list(self._publications.values()):
            publication.server.close()
        self._publications.clear()

    async def _read(self, psm: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Reads a channel's octets from a socket. The channel is the oldest open one of the PSM that has no socket."""

        def come() -> Channel | None:
            candidates = (channel for channel in self.known.values() if channel.is_incoming and channel.psm == psm)
            return next((channel for channel in candidates if channel.is_open and not channel.has_stream), None)

        bell = self.device.bell
        try:
            channel = await bell.until(come)
            channel.has_stream = True
            while octets := await reader.read(65536):
                channel.received.append(octets)
                bell.ring()
                await bell.until(lambda: None if channel.is_full and channel.is_open else True)
        except (WasReset, ConnectionError):
            pass
        finally:
            writer.close()


def _is(channel: Channel, link: AccessoryLink, cid: int) -> bool:
    return channel.is_open and channel.link is link and channel.cid == cid
