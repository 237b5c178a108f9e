"""Live `understudy capture`: an accessory through its control API, and a line that passes through a tap."""

from __future__ import annotations

import asyncio
import csv
import os
import random
import signal
import statistics
import time
import tty
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from bumble import hci
from bumble.host import Host
from bumble.transport.common import Transport
from bumble.transport.tcp_client import open_tcp_client_transport

from conftest import Launch, Stage
from support.central import Central
from support.controllers import LOOPBACK
from support.program import EX_UNAVAILABLE, EX_USAGE, Program, executable, run
from support.radio import DATA, Radio, advertise
from support.terminal import Terminal

from support.viewer import PATIENCE, Viewer

View = Callable[..., Awaitable[Viewer]]
ANY_HOST = f"tcp-server:{LOOPBACK}:0"
PERIPHERAL = "F1:00:00:00:00:01"


@pytest.fixture
async def view() -> AsyncIterator[View]:
    viewers: list[Viewer] = []

    async def begin(*arguments: str | Path, **environment: str) -> Viewer:
        viewers.append(await Viewer.begin(*arguments, **environment))
        return viewers[-1]

    yield begin
    for viewer in viewers:
        await viewer.kill()


# A tap between Bumble and the virtual radio.


@pytest.fixture
async def radio(launch: Launch) -> AsyncIterator[Radio]:
    program = await launch("radio", *["--join", "tcp"] * 2, "--json")
    ports = (await program.ready())["ports"]
    radio = Radio(program, [f"tcp-client:{LOOPBACK}:{port}" for port in ports])
    yield radio
    await radio.close()


async def read_over_the_air(radio: Radio, tapped: str) -> None:
    """Connects a peripheral behind the tap and a central, which reads its value."""
    behind = Radio(radio.program, [tapped])
    peripheral = await behind.peripheral()
    await advertise(peripheral, extended=False)
    central = await Central.open(Host(*await joined(radio)), "F0:00:00:00:00:01")
    await central.find(hci.Address(PERIPHERAL))
    session = await central.connect(hci.Address(PERIPHERAL))
    assert await session.read(await session.handle_of("FFF1")) == DATA
    await session.connection.disconnect()
    await behind.close()
    await radio.transports.pop().close()


async def joined(radio: Radio) -> tuple[object, object]:
    transport: Transport = await open_tcp_client_transport(radio.places[1].removeprefix("tcp-client:"))
    radio.transports.append(transport)
    return transport.source, transport.sink


async def test_a_tap_shows_what_passes_and_outlives_hosts(radio: Radio, view: View) -> None:
    viewer = await view("--tap", ANY_HOST, radio.places[0], "--json")
    place = f"tcp-client:{LOOPBACK}:{await viewer.port()}"
    await read_over_the_air(radio, place)
    await viewer.until("the host has closed the line")
    texts = viewer.texts
    assert texts[:2] == [f"waiting for the host at {place}", "host and controller are connected"]
    assert texts[2] == "Reset"
    assert any(text.startswith("Read By Type Response") for text in texts)
    packets = [packet for packet in viewer.packets if packet["text"].startswith("Read Request")]
    assert packets and all(packet["address"] == "F0:00:00:00:00:01" for packet in packets)
    assert not any(packet["sent"] for packet in packets)
    # The next host gets its own controller, as without the tap.
    before = len(viewer.lines)
    await read_over_the_air(radio, place)
    await viewer.until("the host has closed the line", before)
    assert viewer.texts[before:].count("Reset") == 1
    assert await viewer.stop() == 0


async def test_a_controller_that_goes_lets_the_host_go(radio: Radio, view: View) -> None:
    viewer = await view("--tap", ANY_HOST, radio.places[0])
    port = await viewer.port()
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    writer.write(bytes.fromhex("01030c00"))
    assert await asyncio.wait_for(reader.readexactly(7), PATIENCE) == bytes.fromhex("040e0401030c00")
    await radio.program.kill()
    assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
    await viewer.until("the controller has closed the line")
    # A new client is disconnected, and the tap gives the reason.
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
    await viewer.until("no line to the controller: cannot connect to")
    assert await viewer.stop() == 0


async def test_a_tap_that_nobody_can_join_ends_with_its_line(radio: Radio, view: View, tmp_path: Path) -> None:
    async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(7)
        writer.close()

    server = await asyncio.start_unix_server(leave, tmp_path / "host")
    viewer = await view("--tap", f"unix:{tmp_path / 'host'}", radio.places[0])
    await viewer.until("host and controller are connected")
    server.close()
    viewer.process.terminate()
    assert await viewer.ended() == 0


# A tap between two ends in this process.


class Ends:
    """A tap with a socket on both sides."""

    def __init__(self) -> None:
        self.joined: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()

    async def begin(self, view: View, *arguments: str | Path) -> Viewer:
        self.server = await asyncio.start_server(lambda *line: self.joined.put_nowait(line), LOOPBACK, 0)
        port = self.server.sockets[0].getsockname()[1]
        viewer = await view("--tap", ANY_HOST, f"tcp-client:{LOOPBACK}:{port}", *arguments)
        self.host = await asyncio.open_connection(LOOPBACK, await viewer.port())
        self.controller = await asyncio.wait_for(self.joined.get(), PATIENCE)
        return viewer


async def test_every_octet_passes_as_it_is(view: View) -> None:
    ends = Ends()
    viewer = await ends.begin(view, "--stats")
    octets = {name: random.Random(name).randbytes(3_000_000) for name in ("host", "controller")}

    async def send(line: tuple[asyncio.StreamReader, asyncio.StreamWriter], run: bytes) -> None:
        for start in range(0, len(run), 70_001):
            line[1].write(run[start : start + 70_001])
            await line[1].drain()

    received = await asyncio.wait_for(
        asyncio.gather(
            ends.host[0].readexactly(3_000_000),
            ends.controller[0].readexactly(3_000_000),
            send(ends.host, octets["host"]),
            send(ends.controller, octets["controller"]),
        ),
        60,
    )
    assert received[0] == octets["controller"]
    assert received[1] == octets["host"]
    await viewer.until("belong to no packet")


async def test_counters_of_a_tap(view: View) -> None:
    ends = Ends()
    viewer = await ends.begin(view, "--stats", "--filter", "command || event")
    ends.host[1].write(bytes.fromhex("01030c00"))
    await ends.controller[0].readexactly(4)
    ends.controller[1].write(bytes.fromhex("040e0401030c00"))
    await ends.host[0].readexactly(7)
    assert await viewer.stop() == 0
    assert viewer.lines[0].startswith("2 packets, 11 octets, 0 faults")


async def test_what_the_host_said_last_arrives(view: View) -> None:
    ends = Ends()
    await ends.begin(view, "--stats")
    run = bytes(5_000_000)
    ends.host[1].write(run)
    ends.host[1].close()
    got = await asyncio.wait_for(ends.controller[0].read(len(run)), PATIENCE)
    while more := await asyncio.wait_for(ends.controller[0].read(len(run)), PATIENCE):
        got += more
    assert len(got) == len(run)


async def test_a_tap_adds_little(view: View) -> None:
    ends = Ends()
    await ends.begin(view, "--json")
    command, event = bytes.fromhex("01030c00"), bytes.fromhex("040e0401030c00")
    spans = []
    for _ in range(300):
        begun = time.perf_counter()
        ends.host[1].write(command)
        assert await ends.controller[0].readexactly(len(command)) == command
        ends.controller[1].write(event)
        assert await ends.host[0].readexactly(len(event)) == event
        spans.append(time.perf_counter() - begun)
    # A round trip with both ends in Python; without a tap it takes about as long.
    assert statistics.median(spans) < 0.01


async def test_pseudo_terminals_can_be_ends(view: View, tmp_path: Path) -> None:
    host, controller = (tmp_path / name for name in ("host", "controller"))
    viewer = await view("--tap", f"pty:{host}", f"pty:{controller}")
    await viewer.until("host and controller are connected")
    ends = [os.open(path, os.O_RDWR | os.O_NOCTTY) for path in (host, controller)]
    for end in ends:
        tty.setraw(end)
    os.write(ends[0], bytes.fromhex("01030c00"))
    assert os.read(ends[1], 100) == bytes.fromhex("01030c00")
    os.write(ends[1], bytes.fromhex("040e0401030c00"))
    assert os.read(ends[0], 100) == bytes.fromhex("040e0401030c00")
    await viewer.until("Command Complete - Reset - Status: Success")
    assert await viewer.stop() == 0
    assert not host.is_symlink()


async def test_a_tap_converts_while_it_runs(view: View, tmp_path: Path) -> None:
    ends, path = Ends(), tmp_path / "tapped.pcapng"
    viewer = await ends.begin(view, "--convert", path)
    ends.host[1].write(bytes.fromhex("01030c00"))
    await ends.controller[0].readexactly(4)
    deadline = time.monotonic() + PATIENCE
    while "Reset" not in (await run("capture", path)).output:
        assert time.monotonic() < deadline
    assert await viewer.stop() == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give a capture file, --attach or --tap"),
        (["a.btsnoop", "--attach", "http://localhost:1"], "exclude each other"),
        (["--tap", "pty"], "two addresses"),
        (["--tap", "pty", "virtual"], "virtual is not a line"),
        (["--tap", "unix:/a", "unix:/a"], "cannot both be unix:/a"),
        (["--attach", "https://localhost:1"], "not https"),
        (["--attach", "http://localhost"], "it needs HOST:PORT"),
    ],
)
async def test_wrong_usage(arguments: list[str], message: str) -> None:
    completed = await run("capture", *arguments)
    assert completed.code == EX_USAGE and message in completed.errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tap", ANY_HOST, "serial:/dev/nothing"], "no such port"),
        (["--tap", "unix:/nowhere", "pty"], "start the controller first"),
        (["--attach", f"http://{LOOPBACK}:1"], f"start the accessory with --http {LOOPBACK}:1"),
    ],
)
async def test_places_that_are_not_there(arguments: list[str], message: str) -> None:
    completed = await run("capture", *arguments)
    assert completed.code == EX_UNAVAILABLE and message in completed.errors


# An accessory by its control API.


async def served(stage: Stage, *options: str | Path) -> tuple[Program, str]:
    program = await stage.run("heart-rate", "--http", f"{LOOPBACK}:0", *options)
    return program, f"http://{LOOPBACK}:{(await program.event('http'))['port']}"


async def test_attached_to_a_connection_that_was_there(virtual: Stage, view: View, tmp_path: Path) -> None:
    program, place = await served(virtual)
    session = await virtual.connect()
    handle = await session.handle_of("2A38")
    viewer = await view("--attach", place, "--json", "--filter", "att")
    table = await view("--attach", place, "--follow", "body-sensor-location", "--csv")
    for other in (viewer, table):
        while not any("Body Sensor Location" in line for line in other.lines):
            assert await session.read(handle) == b"\x01"
    packet = next(packet for packet in viewer.packets if packet["text"].startswith("Read Request"))
    # Both are known, although the capture does not contain their beginning.
    assert "Body Sensor Location" in packet["text"]
    assert packet["address"] == "F0:00:00:00:00:01"
    await program.kill()
    for other in (viewer, table):
        assert await other.ended() == 0
        assert "heart-rate: no more packets follow" in other.notes
    rows = list(csv.DictReader(table.lines))
    assert rows[0]["hex"] == "01" and rows[0]["value"] == '"chest"'


async def test_attached_with_a_token(virtual: Stage, view: View) -> None:
    _, place = await served(virtual, "--http-token", "open-sesame-please")
    refused = await run("capture", "--attach", place)
    assert refused.code == EX_UNAVAILABLE and "UNDERSTUDY_HTTP_TOKEN" in refused.errors
    viewer = await view("--attach", place, UNDERSTUDY_HTTP_TOKEN="open-sesame-please")
    await viewer.until("LE Set Extended Advertising Parameters")
    assert await viewer.stop() == 0


async def test_attached_with_the_token_that_a_run_has_made(virtual: Stage, view: View, tmp_path: Path) -> None:
    program = await virtual.run(
        "heart-rate", "--http", f"{LOOPBACK}:0", "--http-auth", environment={"XDG_RUNTIME_DIR": str(tmp_path)}
    )
    port = (await program.event("http"))["port"]
    viewer = await view("--attach", f"{LOOPBACK}:{port}", XDG_RUNTIME_DIR=str(tmp_path))
    await viewer.until("LE Set Extended Advertising Parameters")


async def test_one_of_several_is_named(launch: Launch, view: View) -> None:
    program = await launch("run", "heart-rate", "battery", "--http", f"{LOOPBACK}:0", "--json", "--ephemeral")
    place = f"http://{LOOPBACK}:{(await program.event('http'))['port']}"
    ambiguous = await run("capture", "--attach", place)
    assert ambiguous.code == EX_UNAVAILABLE and f"give one as {place}/NAME" in ambiguous.errors
    viewer = await view("--attach", f"{place}/battery")
    await viewer.until("LE Set Extended Advertising Parameters")
    assert await viewer.stop() == 0
    unknown = await run("capture", "--attach", f"{place}/lamp")
    assert unknown.code == EX_UNAVAILABLE and "known:" in unknown.errors


async def test_attached_by_name(launch: Launch, view: View, tmp_path: Path) -> None:
    place = {"XDG_RUNTIME_DIR": str(tmp_path)}
    options = ["--http", f"{LOOPBACK}:0", "--http-auth", "--json", "--ephemeral"]
    programs = [
        await launch("run", *profiles, *options, environment=place)
        for profiles in (["battery", "heart-rate"], ["battery"])
    ]
    ports = [(await program.event("http"))["port"] for program in programs]
    viewer = await view("--attach", "heart-rate", **place)
    await viewer.until("LE Set Extended Advertising Parameters")
    assert await viewer.stop() == 0
    unknown = await run("capture", "--attach", "lamp", environment=place)
    assert unknown.code == EX_UNAVAILABLE
    assert "no accessory 'lamp' runs" in unknown.errors and "battery, heart-rate" in unknown.errors
    ambiguous = await run("capture", "--attach", "battery", environment=place)
    assert ambiguous.code == EX_UNAVAILABLE
    assert all(f"http://{LOOPBACK}:{port}/battery" in ambiguous.errors for port in ports)
    # A killed run leaves its address file, and still is not found.
    programs[0].send_signal(signal.SIGKILL)
    await programs[0].wait()
    # The process that now has its port gets no request, and no token.
    connections: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: connections.append(writer), LOOPBACK, ports[0])
    viewer = await view("--attach", "battery", **place)
    await viewer.until("LE Set Extended Advertising Parameters")
    server.close()
    assert not connections
    # A run that ends removes it.
    programs[1].send_signal(signal.SIGTERM)
    await programs[1].wait()
    assert {path.name for path in (tmp_path / "understudy").iterdir()} == {
        f"http-{ports[0]}.address",
        f"http-{ports[0]}.token",
    }


async def test_runs_with_another_token_are_told_of(launch: Launch, view: View, tmp_path: Path) -> None:
    place = {"XDG_RUNTIME_DIR": str(tmp_path)}
    token = "open-sesame-please"
    options = ["--http", f"{LOOPBACK}:0", "--json", "--ephemeral"]
    guarded = await launch("run", "heart-rate", *options, "--http-token", token, environment=place)
    other = await launch("run", "battery", *options, "--http-auth", environment=place)
    asked = f"cannot ask the control API at http://{LOOPBACK}:{(await guarded.event('http'))['port']}"
    await other.event("http")
    missing = await run("capture", "--attach", "heart-rate", environment=place)
    assert missing.code == EX_UNAVAILABLE
    assert f"(running: battery); {asked}: it requires its token: give it in UNDERSTUDY_HTTP_TOKEN" in missing.errors
    wrong = await run("capture", "--attach", "heart-rate", environment={**place, "UNDERSTUDY_HTTP_TOKEN": "x" * 20})
    assert wrong.code == EX_UNAVAILABLE
    assert f"{asked}: the token is wrong: give its own in UNDERSTUDY_HTTP_TOKEN" in wrong.errors
    # A run that is found is shown, with a warning about the other one.
    viewer = await view("--attach", "battery", **place)
    await viewer.until("LE Set Extended Advertising Parameters")
    assert any(asked in note and "if another 'battery' runs there" in note for note in viewer.notes)
    assert await viewer.stop() == 0
    # A token for one run does not hide runs with generated tokens.
    for name in ("heart-rate", "battery"):
        viewer = await view("--attach", name, UNDERSTUDY_HTTP_TOKEN=token, **place)
        await viewer.until("LE Set Extended Advertising Parameters")
        assert viewer.notes == []
        assert await viewer.stop() == 0


async def test_attached_on_the_screen(virtual: Stage) -> None:
    program, place = await served(virtual)
    terminal = Terminal([executable(), "capture", "--attach", place, "-i"])
    try:
        await terminal.until(lambda screen: any("LE Set Extended Advertising" in line for line in screen.lines))
        await program.kill()
        await terminal.until(lambda screen: any("no more packets follow" in line for line in screen.lines))
        terminal.type("q")
        assert await terminal.ended() == 0
    finally:
        terminal.close()


LAMP = """
understudy: 1
name: Lamp
services:
  - uuid: 7A1F0010-0B5C-4D1E-9A3F-5C2D8E6B4F10
    characteristics:
      - id: glow
        uuid: 7A1F0011-0B5C-4D1E-9A3F-5C2D8E6B4F10
        properties: [read]
        format: { struct: { level: u8, colour: { number: u16, order: big } } }
        value: { level: 7, colour: 258 }
"""


async def test_values_by_the_formats_of_the_running_accessory_and_of_a_profile(
    virtual: Stage, view: View, tmp_path: Path
) -> None:
    profile, capture = tmp_path / "lamp.yaml", tmp_path / "lamp.btsnoop"
    profile.write_text(LAMP)
    program = await virtual.run(profile, "--http", f"{LOOPBACK}:0", "--capture", capture)
    place = f"http://{LOOPBACK}:{(await program.event('http'))['port']}"
    session = await virtual.connect()
    handle = await session.handle_of("7A1F0011-0B5C-4D1E-9A3F-5C2D8E6B4F10")
    viewer = await view("--attach", place, "--filter", "att.read")
    decoded = 'glow - {"colour":258,"level":7}'
    while not any(decoded in line for line in viewer.lines):
        assert await session.read(handle) == bytes((7, 1, 2))
    await program.stop()
    assert await viewer.ended() == 0
    plain = await run("capture", capture, "--filter", "att.read")
    named = await run("capture", capture, "--filter", "att.read", "--profile", profile)
    assert plain.code == named.code == 0
    assert decoded in named.output and decoded not in plain.output
    problems = await run("capture", capture, "--level", "warning")
    assert problems.code == 0 and "Number Of Completed Packets" not in problems.output
