"""Several accessories in one process."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from bumble.controller import Controller
from bumble.host import Host
from bumble.transport.tcp_client import open_tcp_client_transport
from understudy import Event, aio

from conftest import EVERYTHING, Launch, Stage
from support import btsnoop, pcapng
from support.boards import Bench, Board, is_installed, jlink
from support.central import ATTFailure, Central, Session
from support.controllers import EXTENDED_ADVERTISING_COMMANDS, LOOPBACK, BumbleTCPPath, address_of
from support.program import EX_DATAERR, EX_IOERR, EX_OK, EX_UNAVAILABLE, EX_USAGE, SHIPPED_PROFILES, Program, run
from support.web import Client

BATTERY_LEVEL, DEVICE_NAME, HEART_RATE = "2A19", "2A00", "2A37"
EX_NOINPUT = 66
PATIENCE = 30


async def on_air(program: Program, *names: str) -> list[Event]:
    """The report of each accessory when it is ready."""
    return [await program.event("ready", accessory=name) for name in names]


async def device_name(session: Session) -> str:
    return (await session.read(await session.handle_of(DEVICE_NAME))).decode()


async def stopped(program: Program) -> None:
    program.send_signal(signal.SIGTERM)
    assert await program.wait(PATIENCE) == EX_OK


# One air


async def test_two_on_one_air(virtual: Stage) -> None:
    program = await virtual.start("run", "heart-rate", "battery", "--json")
    belt, battery = await on_air(program, "heart-rate", "battery")
    assert belt["address"] != battery["address"] and belt["joining"] == battery["joining"]
    virtual.path.started(belt)
    # One host sees both, and is connected to both at the same time.
    central = await virtual.central()
    for ready in (belt, battery):
        await central.find(address_of(ready))
    sessions = [await central.connect(address_of(ready)) for ready in (belt, battery)]
    assert [await device_name(session) for session in sessions] == ["Heart Rate Belt", "Battery"]
    levels = [await session.read(await session.handle_of(BATTERY_LEVEL)) for session in sessions]
    assert all(len(level) == 1 for level in levels)
    for name in ("heart-rate", "battery"):
        assert (await program.event("connected", accessory=name))["peer"]
    # Events of the radio are reported once, and belong to no accessory.
    [joined] = program.named("joined")
    assert joined.get("accessory") is None
    await stopped(program)
    for session in sessions:
        await asyncio.wait_for(session.disconnected, PATIENCE)


async def test_one_profile_twice(virtual: Stage) -> None:
    program = await virtual.start("run", "battery", "battery", "--json", "--seed", "5")
    first, second = await on_air(program, "battery", "battery-2")
    for ready, seed in ((first, "5"), (second, "6")):
        completed = await run("describe", "battery", "--json", "--seed", seed)
        assert json.loads(completed.output)["address"] == ready["address"]
    both = json.loads((await run("describe", "battery", "battery", "--json", "--seed", "5")).output)
    assert [one["address"] for one in both] == [first["address"], second["address"]]


async def test_text_says_who(launch: Launch) -> None:
    program = await launch("run", "heart-rate", "battery")
    lines: list[str] = []
    async with asyncio.timeout(PATIENCE):
        while sum("on the air as" in line for line in lines) < 2:
            await asyncio.sleep(0.02)
            lines = program.output
    assert any(line.startswith("[heart-rate] Heart Rate Belt is on the air as") for line in lines)
    assert any(line.startswith("[battery] Battery is on the air as") for line in lines)
    assert sum("tcp-client:127.0.0.1:" in line for line in lines) == 1


async def test_one_capture_of_the_air(virtual: Stage, tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    program = await virtual.start("run", "heart-rate", "battery", "--json", "--capture", path)
    await on_air(program, "heart-rate", "battery")
    await stopped(program)
    assert [interface.name for interface in pcapng.read(path)] == ["air", "accessory", "accessory-2"]
    assert list(tmp_path.iterdir()) == [path]


async def test_a_btsnoop_file_for_each(launch: Launch, tmp_path: Path) -> None:
    program = await launch("run", "heart-rate", "battery", "--json", "--capture", tmp_path / "run.btsnoop")
    await on_air(program, "heart-rate", "battery")
    await stopped(program)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["run-battery.btsnoop", "run-heart-rate.btsnoop"]
    assert all(len(btsnoop.read(file)) > 10 for file in files)


async def test_capture_that_cannot_be(tmp_path: Path) -> None:
    for name in ("run.pcapng", "run.btsnoop"):
        completed = await run("run", "heart-rate", "battery", "--capture", tmp_path / "nowhere" / name)
        assert completed.code == EX_IOERR and "nowhere" in completed.errors, name


async def test_control(virtual: Stage) -> None:
    program = await virtual.start("run", "heart-rate", "battery", "--json", "--http", "127.0.0.1:0")
    http = await program.event("http")
    client = Client(http["host"], http["port"])
    readies = await on_air(program, "heart-rate", "battery")
    accessories = (await client.get("/v1/accessories")).json["accessories"]
    assert [row["id"] for row in accessories] == ["heart-rate", "battery"]
    assert [row["address"] for row in accessories] == [ready["address"] for ready in readies]
    refusal = await client.get("/v1/characteristics")
    assert refusal.status == 400 and "heart-rate, battery" in refusal.json["error"]
    async with aio.Program.attach(client.url) as attached:
        [level] = [
            row["id"]
            for row in (await client.get("/v1/accessories/battery/characteristics")).json["characteristics"]
            if row["uuid"] == BATTERY_LEVEL
        ]
        answer = await client.put(f"/v1/accessories/battery/characteristics/{level}/value", {"value": 33})
        assert answer.status == 200
        virtual.path.started(readies[1])
        session = await (await virtual.central()).connect(address_of(readies[1]))
        assert await session.read(await session.handle_of(BATTERY_LEVEL)) == bytes([33])
        assert (await attached.expect("connected", within=PATIENCE)).accessory == "battery"


# A controller for each


@dataclass
class Site:
    """A controller on its own air, and its address for the program."""

    path: BumbleTCPPath
    controller: str


@pytest.fixture
async def sites() -> AsyncIterator[list[Site]]:
    paths = [BumbleTCPPath(), BumbleTCPPath()]
    yield [Site(path, await path.specification()) for path in paths]
    for path in paths:
        await path.close()


async def begin(launch: Launch, sites: list[Site], *options: str | Path) -> Program:
    controllers = [word for site in sites for word in ("--controller", site.controller)]
    return await launch("run", "heart-rate", EVERYTHING, "--json", *controllers, *options)


async def test_two_controllers(launch: Launch, sites: list[Site], tmp_path: Path) -> None:
    program = await begin(launch, sites, "--capture", tmp_path / "run.pcapng")
    readies = await on_air(program, "heart-rate", "everything")
    names = []
    for site, ready in zip(sites, readies, strict=True):
        central = await Central.open(await site.path.host(), "F0:00:00:00:00:01")
        names.append(await device_name(await central.connect(address_of(ready))))
    assert names == [ready["name"] for ready in readies] and names[0] == "Heart Rate Belt"
    await stopped(program)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run-everything.pcapng", "run-heart-rate.pcapng"]


async def test_two_ports_of_a_radio(launch: Launch) -> None:
    radio = await launch("radio", "--json", "--join", "pty", "--join", "pty")
    terminals = [place for place in (await radio.event("ready"))["joining"] if place.startswith("serial:")]
    controllers = [word for terminal in terminals for word in ("--controller", terminal)]
    program = await launch("run", "battery", "battery", "--json", *controllers)
    readies = await on_air(program, "battery", "battery-2")
    assert [ready["controller"] for ready in readies] == terminals
    await stopped(program)


async def test_one_that_goes_ends_all(launch: Launch, sites: list[Site]) -> None:
    program = await begin(launch, sites)
    readies = await on_air(program, "heart-rate", "everything")
    central = await Central.open(await sites[1].path.host(), "F0:00:00:00:00:01")
    session = await central.connect(address_of(readies[1]))
    await sites[0].path.vanish()
    assert await program.wait(PATIENCE) == EX_UNAVAILABLE
    assert "heart-rate: " in program.errors and "the controller is gone" in program.errors
    # The other one has disconnected.
    await asyncio.wait_for(session.disconnected, PATIENCE)
    assert program.named("failed")[0]["accessory"] == "heart-rate"
    await program.event("stopped", accessory="everything")


async def test_mixed(launch: Launch, sites: list[Site]) -> None:
    controllers = ["--controller", sites[0].controller, "--controller", "virtual"]
    program = await launch("run", "heart-rate", "battery", "--json", *controllers)
    belt, battery = await on_air(program, "heart-rate", "battery")
    assert belt["joining"] == [] and battery["joining"]
    await stopped(program)


# One controller for all


@dataclass
class SharedBoard:
    """A board of the virtual radio, and a central on the same air."""

    radio: Program
    place: str
    central: Central

    async def run(self, launch: Launch, *options: str | Path) -> Program:
        return await launch("run", "heart-rate", "battery", "--json", "--controller", self.place, *options)


@pytest.fixture
async def share(launch: Launch, tmp_path: Path) -> AsyncIterator[Callable[[str], Awaitable[SharedBoard]]]:
    transports = []

    async def board(preset: str) -> SharedBoard:
        radio = await launch("radio", "--json", "--join", "tcp", "--join", f"pty:{tmp_path / 'board'}={preset}")
        ready = await radio.event("ready")
        transport = await open_tcp_client_transport(f"{LOOPBACK}:{ready['ports'][0]}")
        transports.append(transport)
        central = await Central.open(Host(transport.source, transport.sink), "F0:00:00:00:00:01")
        return SharedBoard(radio, f"serial:{tmp_path / 'board'}", central)

    yield board
    for transport in transports:
        await transport.close()


@pytest.mark.parametrize("preset", ["full", "zephyr-extended", "nimble"])
async def test_two_share_a_board(launch: Launch, share: Callable[[str], Awaitable[SharedBoard]], preset: str) -> None:
    board = await share(preset)
    program = await board.run(launch)
    readies = await on_air(program, "heart-rate", "battery")
    assert readies[0]["address"] != readies[1]["address"]
    assert [ready["controller"] for ready in readies] == [board.place] * 2
    for ready in readies:
        await board.central.find(address_of(ready))
    belt, battery = [await board.central.connect(address_of(ready)) for ready in readies]
    assert [await device_name(session) for session in (belt, battery)] == ["Heart Rate Belt", "Battery"]
    # Each has only its own services.
    measurement = await belt.handle_of(HEART_RATE)
    with pytest.raises(ATTFailure):
        await battery.handle_of(HEART_RATE)
    await belt.subscribe(measurement)
    level = await battery.handle_of(BATTERY_LEVEL)
    for _ in range(20):
        assert len(await battery.read(level)) == 1
    assert len(await belt.arrivals(2, measurement)) == 2
    await belt.disconnect()
    await program.event("disconnected", accessory="heart-rate")
    # The free one is on the air again, and the other is unaffected.
    again = await board.central.connect(address_of(readies[0]))
    assert await device_name(again) == "Heart Rate Belt" and await device_name(battery) == "Battery"
    await stopped(program)
    for session in (again, battery):
        await asyncio.wait_for(session.disconnected, PATIENCE)
    assert not program.named("fault")


async def test_each_captures_its_own_view(
    launch: Launch, share: Callable[[str], Awaitable[SharedBoard]], tmp_path: Path
) -> None:
    board = await share("zephyr-extended")
    program = await board.run(launch, "--capture", tmp_path / "run.btsnoop")
    readies = await on_air(program, "heart-rate", "battery")
    await device_name(await board.central.connect(address_of(readies[1])))
    await stopped(program)
    belt, battery = [btsnoop.read(tmp_path / f"run-{name}.btsnoop") for name in ("heart-rate", "battery")]
    assert len(belt) > 10 and len(battery) > len(belt)


async def test_a_shared_board_that_goes_ends_all(
    launch: Launch, share: Callable[[str], Awaitable[SharedBoard]]
) -> None:
    board = await share("zephyr-extended")
    program = await board.run(launch)
    await on_air(program, "heart-rate", "battery")
    await board.radio.kill()
    assert await program.wait(PATIENCE) == EX_UNAVAILABLE
    assert "the controller is gone" in program.errors


async def test_a_board_that_cannot_be_shared(
    launch: Launch, share: Callable[[str], Awaitable[SharedBoard]]
) -> None:
    board = await share("zephyr-hci-uart")
    program = await board.run(launch)
    assert await program.wait(PATIENCE) == EX_UNAVAILABLE
    for words in ("cannot support 2 accessories", "extended advertising", "--controller for each"):
        assert words in program.errors


async def test_more_accessories_than_sets(
    launch: Launch, share: Callable[[str], Awaitable[SharedBoard]]
) -> None:
    board = await share("zephyr-extended")
    program = await launch("run", *["battery"] * 4, "--json", "--controller", board.place)
    assert await program.wait(PATIENCE) == EX_UNAVAILABLE
    assert "3 advertising set(s), but they need 4" in program.errors


async def test_another_controller_that_cannot(launch: Launch, sites: list[Site]) -> None:
    # Bumble's controller does not report the commands of extended advertising.
    completed = await run("run", "heart-rate", "battery", "--controller", sites[0].controller)
    assert completed.code == EX_UNAVAILABLE and "cannot support 2 accessories" in completed.errors


async def test_one_public_address(tmp_path: Path) -> None:
    profile = tmp_path / "public.yaml"
    profile.write_text((SHIPPED_PROFILES / "battery.yaml").read_text() + "\nidentity: { address: public }\n")
    completed = await run("run", profile, profile, "--controller", "unix:/nowhere")
    assert completed.code == EX_UNAVAILABLE and "one public address" in completed.errors


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["battery", "--controller", "virtual", "--controller", "virtual"], "2 controllers for one accessory"),
        (["battery", "battery", "--controller", "auto", "--controller", "virtual"], "give it once"),
        (["battery", "ancs", "--controller", "serial:/dev/a", "--controller", "serial:/dev/a"], "given twice"),
    ],
)
async def test_usage(arguments: list[str], reason: str) -> None:
    completed = await run("run", *arguments)
    assert completed.code == EX_USAGE and reason in completed.errors


async def test_fixed_address_twice(tmp_path: Path) -> None:
    profile = tmp_path / "fixed.yaml"
    text = (SHIPPED_PROFILES / "battery.yaml").read_text()
    profile.write_text(f'{text}\nidentity: {{ address: "C4:00:00:00:00:01" }}\n')
    for command in ("run", "describe"):
        completed = await run(command, profile, profile)
        assert completed.code == EX_USAGE and "C4:00:00:00:00:01" in completed.errors, command


async def test_check_goes_through_all(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("understudy: 1\nname: Broken\nservice: []\n")
    completed = await run("check", "heart-rate", broken, "battery")
    assert completed.code == EX_DATAERR and "broken.yaml:3:1" in completed.errors
    assert "Heart Rate Belt is valid" in completed.output and "Battery is valid" in completed.output
    assert (await run("check", "nothing", "battery")).code == EX_NOINPUT


# Boards


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    if not is_installed():
        pytest.skip("umockdev is not installed")
    bench = Bench()
    yield bench
    bench.close()


async def test_auto_takes_a_board_for_each(bench: Bench, launch: Launch) -> None:
    # By serial number, not by path.
    await bench.plug(jlink("000683000002"), "ttyACM0", answering=(0,))
    board = await bench.plug(jlink("000683000001", (0, 2)), "ttyACM1", "ttyACM2", answering=(1,))
    program = await launch(
        "run", "heart-rate", "battery", "--json", "--controller", "auto", environment=bench.environment
    )
    readies = await on_air(program, "heart-rate", "battery")
    assert [ready["controller"] for ready in readies] == ["serial:/dev/ttyACM2", "serial:/dev/ttyACM0"]
    central = await Central.open(await bench.host(), "F0:00:00:00:00:01")
    sessions = [await central.connect(address_of(ready)) for ready in readies]
    assert [await device_name(session) for session in sessions] == ["Heart Rate Belt", "Battery"]
    # The program waits for an unplugged board, and the other one continues.
    bench.unplug(board)
    await program.event("controller-lost", accessory="heart-rate")
    assert await device_name(sessions[1]) == "Battery"
    count = len(program.events)
    await bench.plug(jlink("000683000001", (0, 2)), "ttyACM1", "ttyACM2", answering=(1,))
    again = await program.event("ready", since=count, accessory="heart-rate")
    assert again["address"] == readies[0]["address"]


async def test_without_waiting_one_board_ends_all(bench: Bench, launch: Launch) -> None:
    boards = [await bench.plug(jlink(str(number)), f"ttyACM{number}", answering=(0,)) for number in range(2)]
    program = await launch(
        "run", "heart-rate", "battery", "--json", "--controller", "auto", "--no-wait", environment=bench.environment
    )
    await on_air(program, "heart-rate", "battery")
    bench.unplug(boards[1])
    assert await program.wait(PATIENCE) == EX_UNAVAILABLE
    assert "battery: serial:/dev/ttyACM1: the controller is gone" in program.errors
    await program.event("stopped", accessory="heart-rate")


async def test_auto_shares_the_only_board(bench: Bench, launch: Launch) -> None:
    def served(board: Board) -> Controller:
        assert board.ports[0].served
        return board.ports[0].served.controller

    def offer(board: Board) -> None:
        served(board).supported_commands = Controller.supported_commands | EXTENDED_ADVERTISING_COMMANDS

    board = await bench.plug(jlink("000683000001"), "ttyACM0", answering=(0,))
    offer(board)
    program = await launch(
        "run", "heart-rate", "battery", "--json", "--controller", "auto", environment=bench.environment
    )
    readies = await on_air(program, "heart-rate", "battery")
    assert [ready["controller"] for ready in readies] == ["serial:/dev/ttyACM0"] * 2
    # The program waits for it, under any name.
    bench.unplug(board)
    for name in ("heart-rate", "battery"):
        await program.event("controller-lost", accessory=name)
    count = len(program.events)
    offer(await bench.plug(jlink("000683000001"), "ttyACM7", answering=(0,)))
    for name, before in zip(("heart-rate", "battery"), readies, strict=True):
        assert (await program.event("ready", since=count, accessory=name))["address"] == before["address"]
    await stopped(program)


@pytest.mark.parametrize("count", [2, 4])
async def test_auto_wants_as_many_boards(bench: Bench, count: int) -> None:
    for number in range(count):
        await bench.plug(jlink(str(number)), f"ttyACM{number}", answering=(0,))
    completed = await run(
        "run", "heart-rate", "battery", "battery", "--controller", "auto", environment=bench.environment
    )
    assert completed.code == EX_UNAVAILABLE
    assert "3 controllers" in completed.errors
    assert all(f"/dev/ttyACM{number}" in completed.errors for number in range(count))


# A fleet in one file

FLEET = """
understudy-fleet: 1
name: Lab
accessories:
  - { profile: battery, name: left, set: { name: Left } }
  - { profile: battery, name: right, count: 2, set: { name: Right } }
air: { impair: [ "loss=0" ] }
"""
SENSORS = """
understudy-fleet: 1
name: Sensors
accessories:
  - name: sensor
    count: 1000
    profile:
      name: Sensor
      advertising:
        - { id: main, connectable: false, interval: 1 s, data: { flags: [general], name: complete } }
      services: []
"""


async def test_a_fleet_file(virtual: Stage, tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(FLEET)
    program = await virtual.start("run", path, "--json")
    ready = await on_air(program, "left", "right-1", "right-2")
    assert [event["name"] for event in ready] == ["Left", "Right", "Right"]
    assert len({event["address"] for event in ready}) == 3
    await stopped(program)


async def test_a_fleet_file_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(FLEET)
    valid = await run("check", path)
    assert valid.code == EX_OK and "Lab is valid: 3 accessories" in valid.output
    path.write_text(FLEET.replace("loss=0", "lost=0").replace("profile: battery, name: left", "profile: batery"))
    broken = await run("check", path)
    assert broken.code == EX_DATAERR
    assert "lab.yaml:5:16: error: there is no shipped profile 'batery'" in broken.errors
    assert "lab.yaml:7:18: error: 'lost=0'" in broken.errors
    assert (await run("run", path, "battery")).code == EX_USAGE
    assert (await run("run", path, "--controller", "virtual")).code == EX_USAGE


@pytest.mark.timeout(240)
async def test_a_thousand_sensors_and_one_scanner(virtual: Stage, tmp_path: Path) -> None:
    path = tmp_path / "sensors.yaml"
    path.write_text(SENSORS)
    program = await virtual.start("run", path, "--json", "--without", "advertising")
    port = (await program.event("ready", accessory="sensor-1000", timeout=120))["ports"][0]
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    # Reset, all events, passive scanning all the time, every report.
    for command in ("01030c00", "01010c08" + "ff" * 8, "01012008" + "ff" * 8, "010b2007" + "00600060000000", "010c20020100"):
        writer.write(bytes.fromhex(command))
    heard: set[bytes] = set()
    async with asyncio.timeout(60):
        while len(heard) < 1000:
            kind, _, length = await reader.readexactly(3)
            event = await reader.readexactly(length)
            # LE Advertising Report: subevent, count, type, kind of address, address.
            if kind == 4 and event[:2] == b"\x02\x01":
                heard.add(event[4:10])
    writer.close()
    await stopped(program)
