"""One of netsim's controllers, as a stream of HCI packets over gRPC."""

from __future__ import annotations

import asyncio
import os
import platform
from typing import Any, cast

# gRPC reads this when it is imported. Its log would repeat the errors that are raised here.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc
import grpc.aio
from bumble.transport.grpc_protobuf.netsim.common_pb2 import ChipKind
from bumble.transport.grpc_protobuf.netsim.hci_packet_pb2 import HCIPacket
from bumble.transport.grpc_protobuf.netsim.packet_streamer_pb2 import PacketRequest
from bumble.transport.grpc_protobuf.netsim.packet_streamer_pb2_grpc import PacketStreamerStub
from bumble.transport.grpc_protobuf.netsim.startup_pb2 import Chip, ChipInfo, DeviceInfo

from understudy.netsim._discovery import TO_DO, NetsimError

OPEN_WITHIN = 10.0
CLOSE_WITHIN = 2.0
# H4 (Core 5.4 Vol 4 Part A 2): HCI Reset, and its Command Complete without the number of commands.
RESET = bytes([0x01, 0x03, 0x0C, 0x00])
RESET_DONE = (bytes([0x04, 0x0E, 0x04]), bytes([0x03, 0x0C, 0x00]))


class Stream:
    """The packets of one controller, each with its type as in H4. netsim removes the controller at the stream's end."""

    def __init__(self, address: str) -> None:
        self._address, self._is_open = address, False
        self._channel = grpc.aio.insecure_channel(address)
        stub: Any = PacketStreamerStub
        self._call = stub(self._channel).StreamPackets()

    @classmethod
    async def open(cls, address: str, name: str) -> Stream:
        """Asks netsim at HOST:PORT for a controller, and resets it; raises `NetsimError`."""
        stream = cls(address)
        device = DeviceInfo(name=name, kind="UNDERSTUDY", arch=platform.machine())
        chip = Chip(kind=ChipKind.BLUETOOTH, manufacturer="Understudy")
        try:
            async with asyncio.timeout(OPEN_WITHIN):
                await stream._send(PacketRequest(initial_info=ChipInfo(name=name, chip=chip, device_info=device)))
                await stream.write(RESET)
                while not is_reset_done(await stream.read()):
                    pass
            stream._is_open = True
        except TimeoutError as error:
            await stream.close()
            raise NetsimError(f"netsim at {address} gave no controller within {OPEN_WITHIN:g} s") from error
        except BaseException:
            await stream.close()
            raise
        return stream

    async def read(self) -> bytes:
        """Returns the controller's next packet; raises `NetsimError` when the stream has ended."""
        try:
            response: Any = await self._call.read()
        except grpc.aio.AioRpcError as error:
            raise self._ended(error.code(), error.details()) from error
        if response is grpc.aio.EOF:
            raise self._ended(await self._call.code(), await self._call.details())
        if response.WhichOneof("response_type") != "hci_packet":
            raise NetsimError(f"netsim at {self._address} gives no controller: {response.error or 'no reason'}")
        return bytes([response.hci_packet.packet_type]) + bytes(response.hci_packet.packet)

    async def write(self, packet: bytes) -> None:
        """Sends a packet to the controller; raises `NetsimError` when the stream has ended."""
        kind = cast("HCIPacket.PacketType", packet[0])
        await self._send(PacketRequest(hci_packet=HCIPacket(packet_type=kind, packet=packet[1:])))

    async def close(self) -> None:
        """Ends the stream and waits until netsim has ended it too. A task that reads the stream then reads its end."""
        try:
            if not self._call.done():
                async with asyncio.timeout(CLOSE_WITHIN):
                    await self._call.done_writing()
                    await self._call.code()
        except (TimeoutError, grpc.aio.AioRpcError, asyncio.InvalidStateError):
            # It is cancelled below.
            pass
        finally:
            self._call.cancel()
            await self._channel.close()

    async def _send(self, request: PacketRequest) -> None:
        try:
            await self._call.write(request)
        except grpc.aio.AioRpcError as error:
            raise self._ended(error.code(), error.details()) from error
        except asyncio.InvalidStateError as error:
            raise self._ended(await self._call.code(), await self._call.details()) from error

    def _ended(self, code: grpc.StatusCode, details: str | None) -> NetsimError:
        why = f": {details}" if details else ""
        if self._is_open:
            return NetsimError(f"netsim at {self._address} has ended the stream{why}")
        if code in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INTERNAL):
            # gRPC reports INTERNAL if a packet is on its way when the server refuses the stream.
            reason = "probably not netsim, whose port is grpc.port in netsim.ini"
            return NetsimError(f"what answers at {self._address} takes no packets: it is {reason}")
        return NetsimError(f"netsim at {self._address} gives no controller{why}; {TO_DO}")



def is_reset_done(packet: bytes) -> bool:
    """Whether a packet is the Command Complete of HCI Reset with Success (Core 5.4 Vol 4 Part E 7.7.14)."""
    return (packet[:3], packet[4:]) == RESET_DONE
