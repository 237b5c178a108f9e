"""Credit-based channels of a Bumble central, with all received data from the first frame on."""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass, field

from bumble import l2cap

from support.central import Session
from support.program import PATIENCE

# The characteristic from which apps read a PSM.
PSM_CHARACTERISTIC = "ABDD3056-28FA-441D-A470-55A75A52553A"


@dataclass
class Channel:
    """One channel. Bumble drops data that arrives before there is a sink, so it has one before it is open."""

    channel: l2cap.LeCreditBasedChannel
    sdus: list[bytes] = field(default_factory=list)
    octets: int = 0

    def __post_init__(self) -> None:
        self._arrival = asyncio.Event()
        self.closed = asyncio.Event()
        self.channel.sink = self._receive
        self.channel.on(l2cap.LeCreditBasedChannel.EVENT_CLOSE, self.closed.set)

    def _receive(self, sdu: bytes) -> None:
        self.sdus.append(bytes(sdu))
        self.octets += len(sdu)
        self._arrival.set()

    @property
    def data(self) -> bytes:
        return b"".join(self.sdus)

    async def received(self, count: int, timeout: float = PATIENCE) -> bytes:
        """Returns the received data, once there are at least that many octets."""
        async with asyncio.timeout(timeout):
            while self.octets < count:
                self._arrival.clear()
                await self._arrival.wait()
        return self.data

    async def arrivals(self, count: int, timeout: float = PATIENCE) -> list[bytes]:
        """Returns the SDUs, once there are at least that many."""
        async with asyncio.timeout(timeout):
            while len(self.sdus) < count:
                self._arrival.clear()
                await self._arrival.wait()
        return self.sdus

    def send(self, sdu: bytes) -> None:
        """Sends one SDU in one frame, even one that Bumble would not send: an empty one."""
        self.channel.credits -= 1
        self.channel.send_pdu(struct.pack("<H", len(sdu)) + sdu)

    def write(self, octets: bytes) -> None:
        """Writes a stream, which Bumble splits into SDUs."""
        self.channel.write(octets)

    async def drain(self, timeout: float = 60) -> None:
        await asyncio.wait_for(self.channel.drain(), timeout)

    async def close(self) -> None:
        await asyncio.wait_for(self.channel.disconnect(), 30)

    async def end(self, timeout: float = PATIENCE) -> None:
        """Waits until the channel has ended."""
        await asyncio.wait_for(self.closed.wait(), timeout)


def _manager(session: Session) -> l2cap.ChannelManager:
    return session.connection.device.l2cap_channel_manager


def _pending(session: Session) -> list[l2cap.LeCreditBasedChannel]:
    channels = _manager(session).channels.get(session.connection.handle, {}).values()
    return [entry for entry in channels if isinstance(entry, l2cap.LeCreditBasedChannel) and entry.sink is None]


async def open_channel(
    session: Session, psm: int, *, mtu: int = 2048, mps: int = 1000, credits: int = 64
) -> Channel:
    """Opens a channel with an LE Credit Based Connection Request; a refusal raises Bumble's L2capError."""
    spec = l2cap.LeCreditBasedChannelSpec(psm=psm, mtu=mtu, mps=mps, max_credits=credits)
    task = asyncio.create_task(_manager(session).create_le_credit_based_channel(session.connection, spec))
    await asyncio.sleep(0)
    if task.done():
        # Bumble itself has refused.
        task.result()
    (pending,) = _pending(session)
    channel = Channel(pending)
    await asyncio.wait_for(task, 30)
    return channel


async def open_enhanced(
    session: Session, psm: int, count: int, *, mtu: int = 2048, mps: int = 1000, credits: int = 64
) -> list[Channel]:
    """Opens several channels with one Credit Based Connection Request."""
    spec = l2cap.LeCreditBasedChannelSpec(psm=psm, mtu=mtu, mps=mps, max_credits=credits)
    task = asyncio.create_task(
        _manager(session).create_enhanced_credit_based_channels(session.connection, spec, count)
    )
    await asyncio.sleep(0)
    channels = [Channel(pending) for pending in _pending(session)]
    assert len(channels) == count
    await asyncio.wait_for(task, 30)
    return channels


async def refusal(session: Session, psm: int) -> int:
    """Returns the result of a refused channel request."""
    try:
        await open_channel(session, psm)
    except l2cap.L2capError as error:
        return int(error.error_code)
    raise AssertionError(f"a channel to PSM 0x{psm:02X} was opened")
