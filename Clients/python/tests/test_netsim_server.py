"""Emulators on a virtual radio. Bumble's transport `android-netsim` stands in for an emulator: none is run."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
from bumble.host import Host
from bumble.transport import open_transport
from bumble.transport.grpc_protobuf.netsim.common_pb2 import ChipKind
from bumble.transport.grpc_protobuf.netsim.hci_packet_pb2 import HCIPacket
from bumble.transport.grpc_protobuf.netsim.packet_streamer_pb2 import PacketRequest
from bumble.transport.grpc_protobuf.netsim.packet_streamer_pb2_grpc import PacketStreamerStub
from bumble.transport.grpc_protobuf.netsim.startup_pb2 import Chip, ChipInfo
from emulator import Phone
from person import PATIENCE, waited
from test_bleak import ACCESSORY, COUNT, LONG, SECRET, TEXT
from test_netsim import command

from understudy import Accessory
from understudy.netsim import NetsimError, Server
from understudy.netsim._classic import ANSWERS, answer
from understudy.netsim._stream import Stream

pytestmark = pytest.mark.accessory(ACCESSORY)


@pytest.fixture
async def server(accessory: Accessory) -> AsyncIterator[Server]:
    async with await Server.start(accessory.air.joining[0]) as server:
        yield server


def joined(accessory: Accessory) -> int:
    """How many hosts from outside are on the radio."""
    kinds = [event.kind for event in accessory.events]
    return kinds.count("joined") - kinds.count("left")


async def test_an_app_uses_the_accessory(accessory: Accessory, server: Server) -> None:
    async with await open_transport(f"android-netsim:{server.address}") as transport:
        phone = await Phone.start(Host(transport.source, transport.sink))
        await phone.connect("Vault")
        assert await phone.characteristic(TEXT).read_value() == LONG.encode()
        counts: list[bytes] = []
        await phone.characteristic(COUNT).subscribe(lambda value: counts.append(bytes(value)))
        await accessory.aio["count"].notify(7)
        await waited(lambda: counts == [b"\7"])
        await phone.pair(None)
        await accessory.aio.expect("paired", within=PATIENCE)
        assert await phone.characteristic(SECRET).read_value() == b"\1\2"
    # The emulator has ended, and so has its controller.
    await waited(lambda: joined(accessory) == 0)


async def test_each_emulator_has_a_controller(accessory: Accessory, server: Server) -> None:
    first = await Stream.open(server.address, "first")
    second = await Stream.open(server.address, "second")
    await waited(lambda: joined(accessory) == 2)
    await first.close()
    await waited(lambda: joined(accessory) == 1)
    await second.close()


async def test_commands_of_classic_bluetooth_are_answered(accessory: Accessory, server: Server) -> None:
    """The radio's controllers are LE only, but Android's host ends when one of these is refused."""
    stream = await Stream.open(server.address, "emulator")
    for opcode in [*ANSWERS, 0x1003, 0x2002]:
        await stream.write(bytes([0x01]) + opcode.to_bytes(2, "little") + bytes([0]))
        event = await stream.read()
        assert event[:2] == b"\x04\x0e" and event[2] == len(event) - 3
        assert event[4:7] == opcode.to_bytes(2, "little") + b"\0"
    await stream.close()
    assert answer(bytes.fromhex("020c1400")) is None


async def test_streams_of_other_chips_are_accepted_and_ignored(accessory: Accessory, server: Server) -> None:
    """An emulator retries forever if one is refused."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        call: Any = PacketStreamerStub(channel).StreamPackets()
        await call.write(PacketRequest(initial_info=ChipInfo(name="wifi", chip=Chip(kind=ChipKind.WIFI))))
        await call.write(PacketRequest(hci_packet=HCIPacket(packet_type=HCIPacket.COMMAND, packet=b"\3\x0c\0")))
        await call.done_writing()
        assert await call.read() is grpc.aio.EOF
        assert await call.code() is grpc.StatusCode.OK
    # The server itself joined once, to see whether there is a radio.
    await waited(lambda: joined(accessory) == 0)
    assert [event.kind for event in accessory.events].count("joined") == 1


async def test_a_stream_without_initial_info_is_refused(server: Server) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        call: Any = PacketStreamerStub(channel).StreamPackets()
        await call.write(PacketRequest(hci_packet=HCIPacket(packet_type=HCIPacket.COMMAND, packet=b"\3\x0c\0")))
        with pytest.raises(grpc.aio.AioRpcError, match="initial_info"):
            await call.read()


async def test_the_radio_ends(accessory: Accessory, server: Server) -> None:
    stream = await Stream.open(server.address, "emulator")
    accessory.program.kill()
    with pytest.raises(NetsimError, match="has ended the stream: the virtual radio has ended"):
        await stream.read()
    with pytest.raises(NetsimError, match="the virtual radio at .* has ended"):
        await asyncio.wait_for(server.lost, PATIENCE)
    # gRPC loses the reason if a packet is on its way.
    with pytest.raises(NetsimError, match="gives no controller: there is no virtual radio at|takes no packets"):
        await Stream.open(server.address, "another")
    await stream.close()


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("tcp-client:127.0.0.1:1", "there is no virtual radio at tcp-client:127.0.0.1:1: "),
        ("unix:/nowhere/radio", "there is no virtual radio at unix:/nowhere/radio: "),
        ("tcp-client:127.0.0.1:99999", "there is no virtual radio at"),
        ("tcp-client:127.0.0.1", "is no place of a virtual radio: tcp-client:HOST:PORT or unix:PATH"),
        ("unix:", "is no place of a virtual radio"),
        ("pty:/tmp/x", "is no place of a virtual radio"),
    ],
)
async def test_places_without_a_radio(place: str, message: str) -> None:
    with pytest.raises(NetsimError, match=message):
        await Server.start(place)


async def test_a_port_in_use(accessory: Accessory, server: Server) -> None:
    port = int(server.address.partition(":")[2])
    with pytest.raises(NetsimError, match=f"port {port} is in use"):
        await Server.start(accessory.air.joining[0], port)


async def test_serve(accessory: Accessory, understudy_executable: Path) -> None:
    async with command(understudy_executable, "serve", accessory.air.joining[0], "--port", "0") as serve:
        address = await serve.says("localhost:")
        stream = await Stream.open(address, "emulator")
        await stream.close()
        assert await serve.end(signal.SIGINT) == (0, f"{address}\n")
    async with command(understudy_executable, "serve", accessory.air.joining[0], "--port", "0") as serve:
        stream = await Stream.open(await serve.says("localhost:"), "emulator")
        accessory.program.kill()
        code, said = await serve.end()
        assert code == 69
        assert said.splitlines()[1:] == [f"error: the virtual radio at {accessory.air.joining[0]} has ended"]
        await stream.close()
