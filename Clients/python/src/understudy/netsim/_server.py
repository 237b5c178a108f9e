"""Replaces netsim: gives emulators controllers on a virtual radio."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, cast

import grpc
import grpc.aio
from bumble.core import InvalidPacketError
from bumble.transport.common import AsyncPacketReader
from bumble.transport.grpc_protobuf.netsim.common_pb2 import ChipKind
from bumble.transport.grpc_protobuf.netsim.hci_packet_pb2 import HCIPacket
from bumble.transport.grpc_protobuf.netsim.packet_streamer_pb2 import PacketResponse
from bumble.transport.grpc_protobuf.netsim.packet_streamer_pb2_grpc import add_PacketStreamerServicer_to_server

from understudy.netsim._classic import answer
from understudy.netsim._discovery import NetsimError

Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def join(place: str) -> Line:
    """Connects to a place where hosts join a radio: `tcp-client:HOST:PORT` or `unix:PATH`; raises `NetsimError`."""
    kind, _, rest = place.partition(":")
    host, _, port = rest.rpartition(":")
    try:
        if kind == "unix" and rest:
            return await asyncio.open_unix_connection(rest)
        if kind == "tcp-client" and host and port.isdecimal():
            return await asyncio.open_connection(host, int(port))
    except (OSError, OverflowError) as error:
        raise NetsimError(f"there is no virtual radio at {place}: {error}") from error
    raise NetsimError(f"{place} is no place of a virtual radio: tcp-client:HOST:PORT or unix:PATH")


class Server:
    """netsim's gRPC service, on the loopback interface. Each emulator joins the radio as a host of its own."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
        self.address = ""
        """HOST:PORT for the emulator's option -packet-streamer-endpoint."""
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Fails with `NetsimError` when the radio ends while an emulator is on it."""

    @classmethod
    async def start(cls, place: str, port: int = 0) -> Server:
        """Serves emulators at a port, by default any free one; raises `NetsimError` if the place has no radio."""
        (await join(place))[1].close()
        server = cls(place)
        add_PacketStreamerServicer_to_server(server, server._server)  # type: ignore[no-untyped-call]
        try:
            bound = server._server.add_insecure_port(f"127.0.0.1:{port}")
        except RuntimeError as error:
            raise NetsimError(f"port {port} is in use, or not allowed; name another one with --port") from error
        await server._server.start()
        server.address = f"localhost:{bound}"
        return server

    async def __aenter__(self) -> Server:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Ends the streams of all emulators."""
        await self._server.stop(None)
        if not self.lost.done():
            self.lost.cancel()

    async def StreamPackets(self, _: Any, context: Any) -> None:  # noqa: N802
        """Serves one chip of an emulator (`PacketStreamer` in netsim's packet_streamer.proto)."""
        first = await context.read()
        if first is grpc.aio.EOF:
            return
        if first.WhichOneof("request_type") != "initial_info":
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the first message has to be initial_info")
        if first.initial_info.chip.kind != ChipKind.BLUETOOTH:
            # An emulator retries forever if its stream for Wi-Fi or UWB is refused.
            while await context.read() is not grpc.aio.EOF:
                pass
            return
        try:
            reader, writer = await join(self._place)
        except NetsimError as error:
            await context.abort(grpc.StatusCode.UNAVAILABLE, str(error))
            return
        host = Host(context)
        to_host = asyncio.create_task(host.receive(reader))
        to_radio = asyncio.create_task(host.send(writer))
        try:
            await asyncio.wait({to_host, to_radio}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            radio_has_ended = to_host.done()
            writer.close()
            # gRPC cannot end a stream during a write.
            async with host.writing:
                to_host.cancel()
                to_radio.cancel()
            await asyncio.gather(to_host, to_radio, return_exceptions=True)
        if radio_has_ended:
            if not self.lost.done():
                self.lost.set_exception(NetsimError(f"the virtual radio at {self._place} has ended"))
                # Marks the error as seen: asyncio would log it if nobody waits for `lost`.
                self.lost.exception()
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the virtual radio has ended")


class Host:
    """The host in an emulator, at the other end of a stream."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self.writing = asyncio.Lock()
        """Held during a write: gRPC allows one at a time."""

    async def receive(self, radio: asyncio.StreamReader) -> None:
        """Passes packets from the radio to the host."""
        packets = AsyncPacketReader(radio)
        with suppress(asyncio.IncompleteReadError, ConnectionError, InvalidPacketError):
            while True:
                await self._write(await packets.next_packet())

    async def send(self, radio: asyncio.StreamWriter) -> None:
        """Passes packets from the host to the radio, except the commands that `answer` handles."""
        while (request := await self._context.read()) is not grpc.aio.EOF:
            if request.WhichOneof("request_type") != "hci_packet":
                continue
            packet = bytes([request.hci_packet.packet_type]) + request.hci_packet.packet
            if answered := answer(packet):
                await self._write(answered)
            else:
                radio.write(packet)
                # `receive` notices when the radio ends.
                with suppress(ConnectionError):
                    await radio.drain()

    async def _write(self, packet: bytes) -> None:
        async with self.writing:
            await self._context.write(response(packet))


def response(packet: bytes) -> PacketResponse:
    """Returns the message that carries a packet to a host."""
    kind = cast("HCIPacket.PacketType", packet[0])
    return PacketResponse(hci_packet=HCIPacket(packet_type=kind, packet=packet[1:]))
