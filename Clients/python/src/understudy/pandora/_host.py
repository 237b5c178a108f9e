"""Pandora's service Host."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from bumble import hci
from google.protobuf.any_pb2 import Any as Cookie
from google.protobuf.empty_pb2 import Empty
from pandora.host_grpc_aio import HostServicer
from pandora.host_pb2 import (
    CONNECTABLE,
    DISCOVERABLE_GENERAL,
    DISCOVERABLE_LIMITED,
    NOT_DISCOVERABLE,
    PUBLIC,
    RANDOM,
    AdvertiseRequest,
    AdvertiseResponse,
    Connection,
    ConnectionParameters,
    ConnectLERequest,
    ConnectLEResponse,
    ConnectRequest,
    ConnectResponse,
    DisconnectRequest,
    GetConnectionParametersRequest,
    GetConnectionParametersResponse,
    InquiryResponse,
    ReadLocalAddressResponse,
    ScanningResponse,
    ScanRequest,
    SetConnectabilityModeRequest,
    SetDiscoverabilityModeRequest,
    WaitConnectionRequest,
    WaitConnectionResponse,
    WaitConnectionUpdateRequest,
    WaitConnectionUpdateResponse,
    WaitDisconnectionRequest,
)

from understudy.pandora._advertisement import Advertising
from understudy.pandora._bell import Bell
from understudy.pandora._calls import Invalid, Unimplemented, streaming, unary
from understudy.pandora._central import Central
from understudy.pandora._classic import ClassicCentral
from understudy.pandora._device import Device
from understudy.pandora._link import Link
from understudy.pandora._report import inquiry_response_of, response_of

# In limited discoverable mode for a minute, after which the device is not discoverable.
DISCOVERABILITY = {NOT_DISCOVERABLE: "no", DISCOVERABLE_LIMITED: "1 min", DISCOVERABLE_GENERAL: "general"}
OWN_ADDRESSES = {PUBLIC: hci.OwnAddressType.PUBLIC, RANDOM: hci.OwnAddressType.RANDOM}


def connection_of(link: Link) -> Connection:
    """Returns the link as clients name it."""
    return Connection(cookie=Cookie(value=link.number.to_bytes(4, "big")))


def parameters_of(link: Link) -> ConnectionParameters:
    """Returns the link's parameters in the units of the Link Layer: 1.25 ms, events, and 10 ms."""
    return ConnectionParameters(
        connection_interval=round(link.interval_ms / 1.25),
        peripheral_latency=link.latency,
        supervision_timeout=round(link.timeout_ms / 10),
    )


class HostService(HostServicer):
    """Advertises, scans, inquires, connects and disconnects."""

    def __init__(self, device: Device, central: Central, classic: ClassicCentral) -> None:
        self.device, self._central, self._classic = device, central, classic
        self._advertising = Advertising(device)

    @property
    def bell(self) -> Bell:
        return self.device.bell

    @unary
    async def FactoryReset(self, request: Empty, context: Any) -> Empty:
        await self.device.reset(bonds=True)
        return Empty()

    @unary
    async def Reset(self, request: Empty, context: Any) -> Empty:
        await self.device.reset(bonds=False)
        return Empty()

    @unary
    async def ReadLocalAddress(self, request: Empty, context: Any) -> ReadLocalAddressResponse:
        return ReadLocalAddressResponse(address=self.device.address)

    @streaming
    async def Advertise(self, request: AdvertiseRequest, context: Any) -> AsyncGenerator[AdvertiseResponse, None]:
        async with await self._advertising.begin(request) as advertisement:
            while True:
                link = await advertisement.next_link()
                yield AdvertiseResponse(connection=connection_of(link))

    @unary
    async def WaitConnection(self, request: WaitConnectionRequest, context: Any) -> WaitConnectionResponse:
        if not request.address:
            raise Invalid("Request address field must be set")
        if len(request.address) != 6 or not any(request.address):
            raise Invalid("Invalid address")

        def come() -> Link | None:
            waited = (link for link in self.device.links.values() if not link.was_waited_for)
            return next((link for link in waited if link.peer == request.address), None)

        while (link := come()) is None:
            await self.bell.until(lambda: True if come() or self.device.is_away else None)
            if self.device.is_away:
                # The peer connects to the accessory.
                await self.device.running()
        link.was_waited_for = True
        return WaitConnectionResponse(connection=connection_of(link))

    @unary
    async def Disconnect(self, request: DisconnectRequest, context: Any) -> Empty:
        if link := self.device.link(request.connection.cookie.value):
            await link.disconnect()
            await self.bell.until(lambda: None if link.is_open else True)
        return Empty()

    @unary
    async def WaitDisconnection(self, request: WaitDisconnectionRequest, context: Any) -> Empty:
        if link := self.device.link(request.connection.cookie.value):
            await self.bell.until(lambda: None if link.is_open else True)
        return Empty()

    @unary
    async def GetConnectionParameters(
        self, request: GetConnectionParametersRequest, context: Any
    ) -> GetConnectionParametersResponse:
        if link := self.device.link(request.connection.cookie.value):
            return GetConnectionParametersResponse(connection_parameters=parameters_of(link))
        return GetConnectionParametersResponse(connection_not_found=Empty())

    @unary
    async def WaitConnectionUpdate(
        self, request: WaitConnectionUpdateRequest, context: Any
    ) -> WaitConnectionUpdateResponse:
        link = self.device.link(request.connection.cookie.value)
        if link:
            updates = link.updates
            await self.bell.until(lambda: True if link.updates > updates or not link.is_open else None)
            if link.updates > updates:
                return WaitConnectionUpdateResponse(connection_parameters=parameters_of(link))
        return WaitConnectionUpdateResponse(connection_not_found=Empty())

    # As a central

    @unary
    async def ConnectLE(self, request: ConnectLERequest, context: Any) -> ConnectLEResponse:
        variant = request.WhichOneof("address")
        address = bytes(getattr(request, variant or "", b""))
        if len(address) != 6 or not any(address):
            raise Invalid("Invalid address")
        if request.own_address_type not in OWN_ADDRESSES:
            raise Unimplemented("the central has no resolvable private addresses: use PUBLIC or RANDOM")
        address_type = "public" if variant in ("public", "public_identity") else "random"
        link = await self._central.connect(address, address_type, OWN_ADDRESSES[request.own_address_type])
        if link is None:
            return ConnectLEResponse(connection_already_exists=Empty())
        return ConnectLEResponse(connection=connection_of(link))

    @streaming
    async def Scan(self, request: ScanRequest, context: Any) -> AsyncGenerator[ScanningResponse, None]:
        async with aclosing(self._central.scan(active=not request.passive)) as sightings:
            async for sighting in sightings:
                yield response_of(sighting)

    @unary
    async def Connect(self, request: ConnectRequest, context: Any) -> ConnectResponse:
        if len(request.address) != 6 or not any(request.address):
            raise Invalid("Invalid address")
        made = await self._classic.connect(request.address)
        if made == "peer_not_found":
            return ConnectResponse(peer_not_found=Empty())
        if made == "connection_already_exists":
            return ConnectResponse(connection_already_exists=Empty())
        return ConnectResponse(connection=connection_of(made))

    @streaming
    async def Inquiry(self, request: Empty, context: Any) -> AsyncGenerator[InquiryResponse, None]:
        async with aclosing(self._classic.inquire()) as found:
            async for event in found:
                yield inquiry_response_of(event)

    @unary
    async def SetDiscoverabilityMode(self, request: SetDiscoverabilityModeRequest, context: Any) -> Empty:
        await self.device.set_modes(discoverable=DISCOVERABILITY[request.mode])
        return Empty()

    @unary
    async def SetConnectabilityMode(self, request: SetConnectabilityModeRequest, context: Any) -> Empty:
        await self.device.set_modes(connectable=request.mode == CONNECTABLE)
        return Empty()

