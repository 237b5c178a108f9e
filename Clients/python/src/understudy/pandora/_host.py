"""Pandora's service Host, of which an accessory has what a peripheral has."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from google.protobuf.any_pb2 import Any as Cookie
from google.protobuf.empty_pb2 import Empty
from pandora import host_pb2
from pandora.host_grpc_aio import HostServicer
from pandora.host_pb2 import (
    AdvertiseRequest,
    AdvertiseResponse,
    Connection,
    ConnectionParameters,
    DisconnectRequest,
    GetConnectionParametersRequest,
    GetConnectionParametersResponse,
    ReadLocalAddressResponse,
    WaitConnectionRequest,
    WaitConnectionResponse,
    WaitConnectionUpdateRequest,
    WaitConnectionUpdateResponse,
    WaitDisconnectionRequest,
)

from understudy.errors import Conflict, NotFound
from understudy.pandora._advertisement import Advertising
from understudy.pandora._bell import Bell
from understudy.pandora._calls import Invalid, Unimplemented, streaming, unary
from understudy.pandora._device import Device
from understudy.pandora._link import Link

NO_BR_EDR = "an accessory has no BR/EDR"
NO_CENTRAL = "an accessory is a peripheral: it neither scans nor connects"
# Reason codes, Core 5.4 Vol 1 Part F 1.3.
REMOTE_USER_TERMINATED = 0x13


def connection_of(link: Link) -> Connection:
    """The link as a client names it."""
    return Connection(cookie=Cookie(value=link.number.to_bytes(4, "big")))


def parameters_of(link: Link) -> ConnectionParameters:
    """Its parameters in the units of the Link Layer: 1.25 ms, events, and 10 ms."""
    return ConnectionParameters(
        connection_interval=round(link.interval_ms / 1.25),
        peripheral_latency=link.latency,
        supervision_timeout=round(link.timeout_ms / 10),
    )


class HostService(HostServicer):
    """Advertises and disconnects; what belongs to BR/EDR or to a central is unimplemented, with the reason."""

    def __init__(self, device: Device) -> None:
        self.device = device
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

        link = await self.bell.until(come)
        link.was_waited_for = True
        return WaitConnectionResponse(connection=connection_of(link))

    @unary
    async def Disconnect(self, request: DisconnectRequest, context: Any) -> Empty:
        if link := self.device.link(request.connection.cookie.value):
            try:
                await link.connection.disconnect(REMOTE_USER_TERMINATED)
            except (NotFound, Conflict):
                # It has just ended by itself.
                pass
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

    # What an accessory cannot do

    @unary
    async def Connect(self, request: host_pb2.ConnectRequest, context: Any) -> host_pb2.ConnectResponse:
        raise Unimplemented(NO_BR_EDR)

    @streaming
    async def Inquiry(self, request: Empty, context: Any) -> AsyncGenerator[host_pb2.InquiryResponse, None]:
        raise Unimplemented(NO_BR_EDR)
        yield host_pb2.InquiryResponse()

    @unary
    async def SetDiscoverabilityMode(self, request: host_pb2.SetDiscoverabilityModeRequest, context: Any) -> Empty:
        raise Unimplemented(NO_BR_EDR)

    @unary
    async def SetConnectabilityMode(self, request: host_pb2.SetConnectabilityModeRequest, context: Any) -> Empty:
        raise Unimplemented(NO_BR_EDR)

    @unary
    async def ConnectLE(self, request: host_pb2.ConnectLERequest, context: Any) -> host_pb2.ConnectLEResponse:
        raise Unimplemented(NO_CENTRAL)

    @streaming
    async def Scan(
        self, request: host_pb2.ScanRequest, context: Any
    ) -> AsyncGenerator[host_pb2.ScanningResponse, None]:
        raise Unimplemented(NO_CENTRAL)
        yield host_pb2.ScanningResponse()
