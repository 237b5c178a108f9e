"""L2CAP credit-based channels (Core 5.4 Vol 3 Part A 10.1, 10.2): Bumble as the central that opens them."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bumble.core import UUID, OutOfResourcesError
from bumble.l2cap import L2capError

from conftest import Stage
from support.central import Session
from support.channels import PSM_CHARACTERISTIC, Channel, open_channel, open_enhanced, refusal
from support.controllers import LOOPBACK
from support.program import PROFILES, Program, describe
from support.web import Client

CHANNELS = PROFILES / "channels.yaml"
MEGABYTES_10 = 10 * 1024 * 1024

# Core 5.4 Vol 3 Part A 4.23, table 4.16.
PSM_NOT_SUPPORTED = 0x0002
NO_RESOURCES = 0x0004
INSUFFICIENT_AUTHENTICATION = 0x0005


@dataclass
class Published:
    """A running profile with its control API, and a central that is connected."""

    stage: Stage
    program: Program
    client: Client
    session: Session

    async def channels(self) -> list[dict[str, Any]]:
        return (await self.client.get("/v1/channels")).json["channels"]

    async def channel(self, id: str) -> dict[str, Any]:
        (channel,) = [channel for channel in await self.channels() if channel["id"] == id]
        return channel

    async def publish(self, **keys: Any) -> int:
        """Publishes a channel, and returns its PSM."""
        answer = await self.client.post("/v1/published", keys)
        assert answer.status == 201, answer.body
        return answer.json["psm"]


async def start(stage: Stage, profile: str | Path, *options: str) -> Published:
    places = ["file:/", "unix:/", "pty:/", f"tcp:{LOOPBACK}:*"]
    allowed = [option for place in places for option in ("--allow-bridge", place)]
    program = await stage.run(profile, "--http", f"{LOOPBACK}:0", *allowed, *options)
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    return Published(stage, program, client, await stage.connect(mtu=517))


@pytest.fixture
async def published(virtual: Stage) -> Published:
    return await start(virtual, CHANNELS)


@pytest.fixture
async def fast(virtual: Stage) -> Published:
    """A radio on fast time, but not so fast that a busy central exceeds the supervision timeout of 8 s."""
    return await start(virtual, CHANNELS, "--speed", "8")


def digest(octets: bytes) -> str:
    return hashlib.sha256(octets).hexdigest()


def counter(length: int) -> bytes:
    return bytes(itertools.islice(itertools.cycle(range(256)), length))


# Opening


async def test_psm_of_the_characteristic(virtual: Stage) -> None:
    """The shipped profile, as an app uses it."""
    program = await virtual.run("l2cap")
    session = await virtual.connect(mtu=517)
    values = await session.peer.discover_services()
    psms = []
    for service in values:
        for characteristic in await service.discover_characteristics([UUID(PSM_CHARACTERISTIC)]):
            psms.append(int.from_bytes(await session.read(characteristic.handle), "little"))
    assert len(psms) == 10 and len(set(psms)) == 10
    assert all(0x80 <= psm <= 0xFF for psm in psms)
    echo = await open_channel(session, psms[0])
    echo.write(b"hello")
    assert await echo.received(5) == b"hello"
    opened = await program.event("channel-opened")
    assert opened["psm"] == psms[0]
    assert (opened["mtu"], opened["mps"]) == (2048, 1000)


async def test_another_psm_at_every_start(launch) -> None:
    """`psm: new`; two of the three starts may draw the same PSM."""
    psms = set()
    for _ in range(3):
        program = await launch("run", "l2cap", "--json", "--http", f"{LOOPBACK}:0")
        client = Client(LOOPBACK, (await program.event("http"))["port"])
        await program.ready()
        entries = {entry["id"]: entry for entry in (await client.get("/v1/published")).json["published"]}
        assert entries["echo"]["psm"] == 0x80
        psms.add(entries["wandering"]["psm"])
        await program.kill()
    assert len(psms) > 1


async def test_describe_shows_channels() -> None:
    entries = {entry["id"]: entry for entry in (await describe(CHANNELS))["l2cap"]}
    assert entries["few"]["psm"] == 0x81 and entries["few"]["max-channels"] == 2
    assert entries["sink"]["handler"] == {"sink": {"hash": True}}
    assert entries["assigned"]["psm-characteristic"] == "assigned-psm"


async def test_enhanced_channels(published: Published) -> None:
    channels = await open_enhanced(published.session, 0x80, 5)
    for index, channel in enumerate(channels):
        channel.write(bytes([index]) * 3000)
    for index, channel in enumerate(channels):
        assert await channel.received(3000) == bytes([index]) * 3000


async def test_twenty_channels_at_once(published: Published) -> None:
    channels = [await open_channel(published.session, 0x80) for _ in range(20)]
    payloads = [os.urandom(20_000) for _ in channels]
    for channel, payload in zip(channels, payloads):
        channel.write(payload)
    for channel, payload in zip(channels, payloads):
        assert await channel.received(20_000, timeout=25) == payload
    assert len(await published.channels()) == 20


async def test_every_dynamic_cid(published: Published) -> None:
    """64 channels, and no more."""
    channels = [await open_channel(published.session, 0x86) for _ in range(64)]
    assert len({channel.channel.destination_cid for channel in channels}) == 64
    # The central itself has no more CIDs either.
    with pytest.raises(OutOfResourcesError):
        await open_channel(published.session, 0x86)
    channels[-1].write(b"last")
    assert await channels[-1].received(4) == b"last"


# Refusals


@pytest.mark.parametrize(
    ("psm", "result"),
    [
        (0xFF, PSM_NOT_SUPPORTED),
        (0x82, INSUFFICIENT_AUTHENTICATION),
        (0x83, INSUFFICIENT_AUTHENTICATION),
    ],
)
async def test_refusals(published: Published, psm: int, result: int) -> None:
    assert await refusal(published.session, psm) == result
    refused = await published.program.event("channel-refused")
    assert (refused["psm"], refused["result"]) == (psm, result)
    # The link still works.
    channel = await open_channel(published.session, 0x80)
    channel.write(b"x")
    assert await channel.received(1) == b"x"


@pytest.mark.parametrize("psm", [0xFF, 0x82])
async def test_enhanced_refusals(published: Published, psm: int) -> None:
    with pytest.raises(L2capError):
        await open_enhanced(published.session, psm, 3)
    channel = await open_channel(published.session, 0x80)
    channel.write(b"x")
    assert await channel.received(1) == b"x"


async def test_too_many(published: Published) -> None:
    channels = [await open_channel(published.session, 0x81) for _ in range(2)]
    assert await refusal(published.session, 0x81) == NO_RESOURCES
    await channels[0].close()
    again = await open_channel(published.session, 0x81)
    again.write(b"again")
    assert await again.received(5) == b"again"


# SDUs


async def test_sdus_of_every_length(published: Published) -> None:
    """Empty, one octet, around the MPS and the MTU: each comes back unchanged."""
    channel = await open_channel(published.session, 0x80)
    lengths = [0, 1, 997, 998, 0, 0, 5]
    for length in lengths:
        channel.send(bytes(length))
    assert [len(sdu) for sdu in await channel.arrivals(len(lengths))] == lengths
    for length in [999, 1000, 1001, 1998, 1999, 2047, 2048]:
        count = len(channel.sdus)
        channel.write(os.urandom(length))
        assert len((await channel.arrivals(count + 1))[-1]) == length


async def test_smallest_channel(published: Published) -> None:
    """MTU and MPS of 23 octets on both sides."""
    channel = await open_channel(published.session, 0x84, mtu=23, mps=23, credits=1)
    payload = os.urandom(500)
    channel.write(payload)
    assert await channel.received(500) == payload
    assert max(len(sdu) for sdu in channel.sdus) == 23


async def test_largest_sdu(published: Published) -> None:
    channel = await open_channel(published.session, 0x85, mtu=65535, mps=65533)
    payload = os.urandom(65535)
    channel.write(payload)
    (sdu,) = await channel.arrivals(1)
    assert sdu == payload


async def test_sdu_longer_than_the_central_takes(published: Published) -> None:
    """The echo of an SDU that does not fit comes back in pieces."""
    channel = await open_channel(published.session, 0x80, mtu=100, mps=60)
    payload = os.urandom(2048)
    channel.write(payload)
    assert await channel.received(2048) == payload
    assert max(len(sdu) for sdu in channel.sdus) == 100


async def test_breaking_the_protocol_closes_one_channel(published: Published) -> None:
    """An SDU above the MTU closes its channel; the other channel and ATT continue."""
    guilty, other = await open_channel(published.session, 0x84), await open_channel(published.session, 0x80)
    guilty.send(bytes(24))
    await guilty.end()
    closed = await published.program.event("channel-closed")
    assert "more than the MTU" in closed["reason"]
    other.write(b"still here")
    assert await other.received(10) == b"still here"


# Much


@pytest.mark.timeout(240)
async def test_ten_megabytes_in(fast: Published) -> None:
    channel = await open_channel(fast.session, 0x87)
    payload = os.urandom(MEGABYTES_10)
    for start in range(0, len(payload), 65536):
        channel.write(payload[start : start + 65536])
        await channel.drain(200)
    async with asyncio.timeout(60):
        while (sink := (await fast.channel("sink"))["sink"])["octets"] < len(payload):
            await asyncio.sleep(0.05)
    assert sink["octets"] == len(payload)
    assert sink["sha256"] == digest(payload)
    # After the channel has closed, the event has the figures.
    await channel.close()
    assert (await fast.program.event("channel-closed"))["sink"] == sink


@pytest.mark.timeout(240)
async def test_ten_megabytes_out(fast: Published) -> None:
    channel = await open_channel(fast.session, 0x88)
    await channel.end(200)
    assert digest(channel.data) == digest(counter(MEGABYTES_10))


@pytest.mark.timeout(120)
async def test_a_megabyte_there_and_back(fast: Published) -> None:
    """More than all windows hold: the echo holds back the central, and nothing is lost."""
    channel = await open_channel(fast.session, 0x80)
    payload = os.urandom(1024 * 1024)
    channel.write(payload)
    assert digest(await channel.received(len(payload), 100)) == digest(payload)


# The end


async def test_source_closes_behind_its_last_octet(published: Published) -> None:
    channel = await open_channel(published.session, 0x89)
    await channel.end()
    assert channel.data == counter(10_000)
    closed = await published.program.event("channel-closed")
    assert (closed["reason"], closed["unsent"]) == ("closed here", 0)


async def test_central_closes(published: Published) -> None:
    channel = await open_channel(published.session, 0x80)
    channel.write(b"bye")
    await channel.received(3)
    await channel.close()
    closed = await published.program.event("channel-closed")
    assert closed["reason"] == "closed by the central"
    assert await published.channels() == []


async def test_closed_over_http(published: Published) -> None:
    channel = await open_channel(published.session, 0x80)
    entry = await published.channel("echo")
    path = f"/v1/channels/{entry['connection']}/{entry['channel']}"
    # All earlier data arrives before the end.
    for number in range(20):
        answer = await published.client.post(f"{path}/send", {"hex": bytes([number] * 1000).hex()})
        assert answer.status == 202, answer.body
    assert (await published.client.post(f"{path}/close")).status == 202
    await channel.end()
    assert channel.data == b"".join(bytes([number] * 1000) for number in range(20))
    await published.program.event("channel-closed")
    assert (await published.client.post(f"{path}/close")).status == 404


async def test_sent_over_http(published: Published) -> None:
    channel = await open_channel(published.session, 0x80)
    entry = await published.channel("echo")
    path = f"/v1/channels/{entry['connection']}/{entry['channel']}/send"
    assert (await published.client.post(path, {"text": "grüß"})).status == 202
    assert await channel.received(6) == "grüß".encode()
    answer = await published.client.post(path, {"hex": "00" * 2049})
    assert answer.status == 400 and "2048" in answer.json["error"]


async def test_link_loss(published: Published) -> None:
    channels = [await open_channel(published.session, 0x80) for _ in range(3)]
    channels[0].write(b"x")
    await channels[0].received(1)
    await published.session.disconnect()
    closed = await published.program.count("channel-closed", 3)
    assert {event["reason"] for event in closed} == {"the connection has ended"}
    assert await published.channels() == []
    # Another central finds everything unchanged.
    session = await published.stage.connect()
    channel = await open_channel(session, 0x80)
    channel.write(b"again")
    assert await channel.received(5) == b"again"


# Publishing at run time


async def test_unpublish(published: Published) -> None:
    channels = [await open_channel(published.session, 0x80) for _ in range(2)]
    other = await open_channel(published.session, 0x81)
    assert (await published.client.request("DELETE", "/v1/published/echo")).status == 200
    for channel in channels:
        await channel.end()
    assert {event["reason"] for event in await published.program.count("channel-closed", 2)} == {"unpublished"}
    assert await refusal(published.session, 0x80) == PSM_NOT_SUPPORTED
    other.write(b"x")
    assert await other.received(1) == b"x"


async def test_published_anew(published: Published) -> None:
    """The characteristic has the new PSM, and subscribers are notified."""
    session = published.session
    handle = await session.handle_of(PSM_CHARACTERISTIC)
    assert await session.read(handle) == b"\x25\x00"
    await session.subscribe(handle, 0x0002)
    assert (await published.client.request("DELETE", "/v1/published/assigned")).status == 200
    psm = await published.publish(id="assigned", psm="new", handler="echo")
    assert psm >= 0x80
    ((_, pdu),) = await session.arrivals(1, handle)
    assert int.from_bytes(pdu.attribute_value, "little") == psm
    assert int.from_bytes(await session.read(handle), "little") == psm
    channel = await open_channel(session, psm)
    channel.write(b"here")
    assert await channel.received(4) == b"here"


# Lines


class Server:
    """The target of a bridge: keeps received data, and sends the test's data."""

    def __init__(self) -> None:
        self.received = bytearray()
        self.connections: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.connections.put((reader, writer))

    async def connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.wait_for(self.connections.get(), 30)


@dataclass
class Bridge:
    """A channel with a socket of this process as its other end."""

    channel: Channel
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


@pytest.fixture(params=["tcp", "unix"])
async def bridges(request: pytest.FixtureRequest, fast: Published, tmp_path: Path):
    """Opens bridged channels, one after another."""
    server = Server()
    if request.param == "tcp":
        listener = await asyncio.start_server(server.serve, LOOPBACK, 0, limit=1 << 16)
        place = f"tcp:{LOOPBACK}:{listener.sockets[0].getsockname()[1]}"
    else:
        path = tmp_path / "socket"
        listener = await asyncio.start_unix_server(server.serve, path, limit=1 << 16)
        place = f"unix:{path}"
    psm = await fast.publish(id="bridge", psm="auto", handler=place)

    async def open() -> Bridge:
        channel = await open_channel(fast.session, psm)
        return Bridge(channel, *await server.connection())

    yield open
    listener.close()


async def test_socket_both_ways(bridges, fast: Published) -> None:
    bridge = await bridges()
    bridge.channel.write(b"to the socket")
    assert await asyncio.wait_for(bridge.reader.readexactly(13), 30) == b"to the socket"
    bridge.writer.write(b"to the central")
    assert await bridge.channel.received(14) == b"to the central"
    bridged = await fast.program.event("channel-bridged")
    assert bridged["id"] == "bridge"
    assert (await fast.channel("bridge"))["bridge"] == bridged["place"]


async def test_socket_ends(bridges) -> None:
    """Its end closes the channel, after all data from the socket."""
    bridge = await bridges()
    payload = os.urandom(200_000)
    bridge.writer.write(payload)
    bridge.writer.close()
    await bridge.channel.end(25)
    assert bridge.channel.data == payload


async def test_channel_ends(bridges) -> None:
    """Its end closes the socket, after all data from the central."""
    bridge = await bridges()
    payload = os.urandom(200_000)
    bridge.channel.write(payload)
    await bridge.channel.drain()
    await bridge.channel.close()
    assert await asyncio.wait_for(bridge.reader.read(-1), 25) == payload


async def test_several_sockets(bridges) -> None:
    """Each channel has its own."""
    opened = [await bridges() for _ in range(4)]
    for index, bridge in enumerate(opened):
        bridge.channel.write(bytes([index]) * 5000)
    for index, bridge in enumerate(opened):
        assert await asyncio.wait_for(bridge.reader.readexactly(5000), 30) == bytes([index]) * 5000
        bridge.writer.write(bytes([index]) * 5000)
        assert await bridge.channel.received(5000) == bytes([index]) * 5000


async def test_socket_that_does_not_read(bridges) -> None:
    """The central is held back, and continues when the socket does; nothing is lost."""
    bridge = await bridges()
    payload = os.urandom(8 * 1024 * 1024)
    bridge.channel.write(payload)
    with pytest.raises(TimeoutError):
        await bridge.channel.drain(8)
    assert await asyncio.wait_for(bridge.reader.readexactly(100_000), 30) == payload[:100_000]
    assert bridge.channel.channel.out_queue


async def test_central_that_gives_no_credits(bridges) -> None:
    """Data from the socket waits; the socket is not read without limit."""
    bridge = await bridges()
    channel = bridge.channel.channel
    # Bumble returns credits when half are used; here it never should.
    channel.peer_credits = channel.peer_max_credits = 10**6
    channel.peer_credits_threshold = 0
    payload = os.urandom(16 * 1024 * 1024)
    bridge.writer.write(payload)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(bridge.writer.drain(), 5)
    assert bridge.channel.octets <= 64 * 1000
    assert payload.startswith(bridge.channel.data)


async def test_nobody_listens(published: Published, tmp_path: Path) -> None:
    for id, handler in [("tcp", f"tcp:{LOOPBACK}:1"), ("unix", f"unix:{tmp_path}/absent"), ("file", "file:/absent")]:
        psm = await published.publish(id=id, handler=handler)
        channel = await open_channel(published.session, psm)
        await channel.end()
        fault = await published.program.event("fault", id=id)
        assert fault["fault"] == "bridge-failed" and fault["reason"]
        assert fault["place"] == handler


async def test_file(fast: Published, tmp_path: Path) -> None:
    payload = os.urandom(300_003)
    path = tmp_path / "payload"
    path.write_bytes(payload)
    psm = await fast.publish(id="file", handler=f"file:{path}")
    channels = [await open_channel(fast.session, psm, mtu=500, mps=250), await open_channel(fast.session, psm)]
    for channel in channels:
        # A file accepts nothing.
        channel.write(b"ignored")
    for channel in channels:
        await channel.end(25)
        assert digest(channel.data) == digest(payload)
    assert max(len(sdu) for sdu in channels[0].sdus) == 500
    empty = tmp_path / "empty"
    empty.touch()
    channel = await open_channel(fast.session, await fast.publish(id="empty", handler=f"file:{empty}"))
    await channel.end()
    assert channel.sdus == []


class Terminal:
    """A program at the terminal of a bridge."""

    def __init__(self, path: str | Path) -> None:
        self.descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.received = b""

    async def read(self, count: int, timeout: float = 10) -> bytes:
        async with asyncio.timeout(timeout):
            while len(self.received) < count:
                try:
                    self.received += os.read(self.descriptor, 4096)
                except BlockingIOError:
                    await asyncio.sleep(0.005)
        return self.received

    async def write(self, octets: bytes) -> None:
        while octets:
            try:
                octets = octets[os.write(self.descriptor, octets) :]
            except BlockingIOError:
                await asyncio.sleep(0.005)

    def close(self) -> None:
        os.close(self.descriptor)


async def test_terminals(fast: Published, tmp_path: Path) -> None:
    """The first has the link, the second reports its device; both transfer in both directions, and earlier data is not lost."""
    link = tmp_path / "terminal"
    psm = await fast.publish(id="terminal", handler=f"pty:{link}")
    channels = [await open_channel(fast.session, psm) for _ in range(2)]
    places = [event["place"] for event in await fast.program.count("channel-bridged", 2)]
    assert places[0] == str(link) and places[1].startswith("/dev/pts/")
    for index, (channel, place) in enumerate(zip(channels, places)):
        channel.write(bytes([index]) * 20_000)
        terminal = Terminal(place)
        assert await terminal.read(20_000) == bytes([index]) * 20_000
        await terminal.write(bytes([index, 10, 13, 3, 4]) * 4000)
        assert await channel.received(20_000) == bytes([index, 10, 13, 3, 4]) * 4000
        # The end of the program ends the channel.
        await terminal.write(b"last")
        terminal.close()
        await channel.end()
        assert channel.data.endswith(b"last")


async def test_terminal_whose_channel_ends(fast: Published, tmp_path: Path) -> None:
    """The program can read everything, and the link is free for the next channel."""
    link = tmp_path / "terminal"
    psm = await fast.publish(id="terminal", handler=f"pty:{link}")
    for number in range(1, 3):
        channel = await open_channel(fast.session, psm)
        await fast.program.count("channel-bridged", number)
        terminal = Terminal(link)
        channel.write(bytes([number]) * 30_000)
        await channel.drain()
        await channel.close()
        await asyncio.sleep(0.2)
        assert await terminal.read(30_000) == bytes([number]) * 30_000
        async with asyncio.timeout(30):
            while link.is_symlink():
                await asyncio.sleep(0.01)
        terminal.close()


@pytest.mark.parametrize("name", ["tcp", "file", "pty"])
async def test_link_loss_ends_bridges(fast: Published, tmp_path: Path, name: str) -> None:
    server = Server()
    listener = await asyncio.start_server(server.serve, LOOPBACK, 0)
    path = tmp_path / "zeros"
    path.write_bytes(bytes(10**7))
    handler = {
        "tcp": f"tcp:{LOOPBACK}:{listener.sockets[0].getsockname()[1]}",
        "file": f"file:{path}",
        "pty": f"pty:{tmp_path}/terminal",
    }[name]
    psm = await fast.publish(id="bridge", handler=handler)
    channel = await open_channel(fast.session, psm)
    await fast.program.event("channel-bridged")
    if name == "tcp":
        channel.write(b"before the end")
        reader, _ = await server.connection()
        assert await asyncio.wait_for(reader.readexactly(14), 30) == b"before the end"
    await fast.session.disconnect()
    closed = await fast.program.event("channel-closed")
    assert closed["reason"] == "the connection has ended"
    if name == "tcp":
        assert await asyncio.wait_for(reader.read(-1), 30) == b""
    if name == "pty":
        async with asyncio.timeout(30):
            while (tmp_path / "terminal").is_symlink():
                await asyncio.sleep(0.01)
    listener.close()
