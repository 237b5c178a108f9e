"""Pandora's service L2CAP, for LE credit-based channels."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from google.protobuf.any_pb2 import Any as Cookie
from google.protobuf.empty_pb2 import Empty
from pandora import l2cap_pb2
from pandora.l2cap_grpc_aio import L2CAPServicer
from pandora.l2cap_pb2 import (
    COMMAND_NOT_UNDERSTOOD,
    INVALID_CID_IN_REQUEST,
    ConnectRequest,
    ConnectResponse,
    CreditBasedChannelRequest,
    DisconnectRequest,
    DisconnectResponse,
    ReceiveRequest,
    ReceiveResponse,
    SendRequest,
    SendResponse,
    WaitConnectionRequest,
    WaitConnectionResponse,
    WaitDisconnectionRequest,
    WaitDisconnectionResponse,
)

from understudy.errors import Refused
from understudy.pandora._bell import Bell
from understudy.pandora._calls import Invalid, Unimplemented, streaming, unary
from understudy.pandora._channel import Channel, Channels
from understudy.pandora._device import Device
from understudy.pandora._link import AccessoryLink

# Core 5.4 Vol 3 Part A 4.22 and 4.25.
SHORTEST, SHORTEST_ENHANCED, LONGEST_MTU, LONGEST_MPS, MOST_CREDITS, LAST_PSM = 23, 64, 65_535, 65_533, 65_535, 0xFF


def channel_of(channel: Channel) -> l2cap_pb2.Channel:
    """Returns the channel as clients name it."""
    return l2cap_pb2.Channel(cookie=Cookie(value=channel.number.to_bytes(4, "big")))


def asked_channel(request: ConnectRequest | WaitConnectionRequest) -> CreditBasedChannelRequest:
    """Returns the requested kind of channel. Raises `Invalid` or `Unimplemented`."""
    variant = request.WhichOneof("type")
    if variant is None:
        raise Invalid("the type of the channel must be set")
    if variant == "basic":
        raise Unimplemented("an accessory has no BR/EDR channels: use le_credit_based or enhanced_credit_based")
    asked: CreditBasedChannelRequest = getattr(request, variant)
    shortest = SHORTEST_ENHANCED if variant == "enhanced_credit_based" else SHORTEST
    for name, value, low, high in (
        ("spsm", asked.spsm, 1, LAST_PSM),
        ("mtu", asked.mtu, shortest, LONGEST_MTU),
        ("mps", asked.mps, shortest, LONGEST_MPS),
        ("initial_credit", asked.initial_credit, 1, MOST_CREDITS),
    ):
        if not low <= value <= high:
            raise Invalid(f"{name} must be {low} to {high}, not {value}")
    return asked


class L2CAPService(L2CAPServicer):
    """Opens channels, waits for channels, and sends and receives on them."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._channels = Channels(device)
        device.on_reset.append(self._channels.forget)

    @property
    def bell(self) -> Bell:
        return self.device.bell

    @unary
    async def Connect(self, request: ConnectRequest, context: Any) -> ConnectResponse:
        link = self._asked_link(request)
        asked = asked_channel(request)
        count = 1 if request.WhichOneof("type") == "enhanced_credit_based" else None
        refusals = link.refused_channels
        try:
            (cid,) = await link.connection.open_channels(
                asked.spsm, mtu=asked.mtu, mps=asked.mps, credits=asked.initial_credit, count=count
            )
        except Refused:
            return ConnectResponse(error=COMMAND_NOT_UNDERSTOOD)
        found = await self.bell.until(
            lambda: self._channels.of(link, cid)
            or (False if link.refused_channels > refusals or not link.is_open else None)
        )
        if not isinstance(found, Channel):
            return ConnectResponse(error=COMMAND_NOT_UNDERSTOOD)
        return ConnectResponse(channel=channel_of(found))

    @unary
    async def WaitConnection(self, request: WaitConnectionRequest, context: Any) -> WaitConnectionResponse:
        link = self._asked_link(request)
        asked = asked_channel(request)

        def come() -> Channel | bool | None:
            for channel in self._channels.known.values():
                is_new = channel.is_incoming and channel.is_open and not channel.was_waited_for
                if is_new and channel.link is link and channel.psm == asked.spsm:
                    return channel
            return None if link.is_open else False

        try:
            publication = await self._channels.publish(link.accessory, asked)
        except Refused:
            return WaitConnectionResponse(error=COMMAND_NOT_UNDERSTOOD)
        try:
            found = await self.bell.until(come)
            if not isinstance(found, Channel):
                return WaitConnectionResponse(error=COMMAND_NOT_UNDERSTOOD)
            found.was_waited_for = True
            return WaitConnectionResponse(channel=channel_of(found))
        finally:
            await self._channels.withdraw(publication)

    @unary
    async def Disconnect(self, request: DisconnectRequest, context: Any) -> DisconnectResponse:
        channel = self._known(request.channel)
        if channel is None or not channel.is_open:
            return DisconnectResponse(error=COMMAND_NOT_UNDERSTOOD)
        try:
            await channel.link.accessory.channel(channel.link.handle, channel.cid).close()
        except Refused:
            if channel.is_open:
                return DisconnectResponse(error=COMMAND_NOT_UNDERSTOOD)
        await self.bell.until(lambda: None if channel.is_open else True)
        return DisconnectResponse(success=Empty())

    @unary
    async def WaitDisconnection(self, request: WaitDisconnectionRequest, context: Any) -> WaitDisconnectionResponse:
        channel = self._known(request.channel)
        if channel is None:
            return WaitDisconnectionResponse(error=INVALID_CID_IN_REQUEST)
        await self.bell.until(lambda: None if channel.is_open else True)
        return WaitDisconnectionResponse(success=Empty())

    @streaming
    async def Receive(self, request: ReceiveRequest, context: Any) -> AsyncGenerator[ReceiveResponse, None]:
        channel = self._known(request.channel) if _is_dynamic(request.WhichOneof("source")) else None
        if channel is None:
            raise Invalid("The channel specified is invalid.")
        while await self.bell.until(lambda: bool(channel.received) or (None if channel.is_open else False)):
            octets = channel.received.popleft()
            self.bell.ring()
            yield ReceiveResponse(data=octets)

    @unary
    async def Send(self, request: SendRequest, context: Any) -> SendResponse:
        channel = self._known(request.channel) if _is_dynamic(request.WhichOneof("sink")) else None
        if channel is None or not channel.is_open:
            return SendResponse(error=COMMAND_NOT_UNDERSTOOD)
        try:
            await channel.link.accessory.channel(channel.link.handle, channel.cid).send(request.data)
        except Refused:
            return SendResponse(error=COMMAND_NOT_UNDERSTOOD)
        return SendResponse(success=Empty())

    def _asked_link(self, request: ConnectRequest | WaitConnectionRequest) -> AccessoryLink:
        link = self.device.known_link(request.connection.cookie.value)
        if not isinstance(link, AccessoryLink):
            raise Unimplemented("channels need a connection to the accessory, not one of the central beside it")
        return link

    def _known(self, channel: l2cap_pb2.Channel | None) -> Channel | None:
        cookie = channel.cookie.value if channel else b""
        return self._channels.known.get(int.from_bytes(cookie, "big")) if len(cookie) == 4 else None


def _is_dynamic(variant: str | None) -> bool:
    if variant == "fixed_channel":
        raise Unimplemented("an accessory's fixed channels carry only ATT, signalling and pairing")
    return variant is not None
