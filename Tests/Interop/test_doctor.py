"""The doctor on controllers of the virtual radio over every kind of line, on Bumble's controllers, and on boards."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from bumble.controller import Controller
from bumble.link import LocalLink

from conftest import Launch
from support.boards import DONGLE, NOBODY, Bench, is_installed, jlink
from support.controllers import LOOPBACK, ServedController, free_port
from support.program import EX_OK, EX_UNAVAILABLE, EX_USAGE, run

# Long enough for a busy machine (seconds).
PATIENCE = 60
FAULTS = 1
EXTENDED = ["full", "zephyr-extended", "nimble", "5.0"]
LIMITS = {
    "zephyr-hci-uart": {"extended-advertising", "le-coded", "data-length", "acl-buffers"},
    "4.2": {"extended-advertising", "le-2m", "le-coded"},
    "4.0": {"extended-advertising", "le-2m", "le-coded", "data-length", "acl-buffers"},
}
# Steps that depend on this machine's load.
MEASURED = {"latency", "throughput", "link-latency", "link-throughput"}

# One at a time: all of them see a ModemManager that one of them starts.
pytestmark = pytest.mark.xdist_group("doctor")


class Examination:
    """The doctor's output."""

    def __init__(self, code: int, output: str) -> None:
        self.code = code
        self.report: dict[str, Any] = json.loads(output)
        self.steps: dict[str, dict[str, Any]] = {step["step"]: step for step in self.report["steps"]}

    @property
    def wrong(self) -> set[str]:
        """The steps with problems."""
        return {name for name, step in self.steps.items() if step["verdict"] in ("warning", "failed")} - MEASURED

    def verdict(self, step: str) -> str:
        return self.steps[step]["verdict"]


async def examine(
    *options: str | Path, environment: dict[str, str] | None = None, user: int | None = None
) -> Examination:
    completed = await run("doctor", "--json", *options, timeout=PATIENCE, environment=environment, user=user)
    assert completed.output, completed.errors
    return Examination(completed.code, completed.output)


# The virtual radio


@pytest.mark.parametrize("preset", [*EXTENDED, *LIMITS])
async def test_virtual_presets(preset: str) -> None:
    found = await examine("--controller", "virtual", "--preset", preset)
    assert found.code == EX_OK
    assert found.wrong == LIMITS.get(preset, set())
    assert found.verdict("legacy-on-air") == "ok"
    assert found.steps["legacy-on-air"]["found"] == "accepted, and received by the second controller"
    assert found.verdict("extended-on-air") == ("ok" if preset in EXTENDED else "skipped")
    for step in found.steps.values():
        assert step["found"] and step["why"]
        assert (step["fix"] is not None) == (step["verdict"] in ("warning", "failed"))


@pytest.mark.parametrize(
    ("impairment", "code", "wrong"),
    [
        ("controller=accessory,hung", EX_UNAVAILABLE, {"synchronization"}),
        ("controller=accessory-2,hung", FAULTS, {"listener"}),
        ("unreachable", FAULTS, {"legacy-on-air", "extended-on-air"}),
    ],
    ids=["hung", "deaf", "unreachable"],
)
async def test_virtual_faults(impairment: str, code: int, wrong: set[str]) -> None:
    found = await examine("--controller", "virtual", "--impair", impairment)
    assert (found.code, found.wrong) == (code, wrong)


async def test_slow_controller() -> None:
    found = await examine("--controller", "virtual", "--impair", "controller=accessory,latency=30ms")
    assert found.code == EX_OK and found.verdict("latency") == "warning"
    assert found.steps["latency"]["figures"]["median_ms"] >= 30


@pytest.mark.parametrize("kind", ["tcp", "unix", "pty"])
async def test_lines(kind: str, launch: Launch, tmp_path: Path) -> None:
    """The result is the same over each kind of line, and the second controller hears the first."""
    options = {"tcp": ("tcp", "tcp"), "unix": (f"unix:{tmp_path}/a", f"unix:{tmp_path}/b"), "pty": ("pty", "pty")}[kind]
    program = await launch("radio", "--json", *(word for place in options for word in ("--join", place)))
    places = (await program.ready())["joining"]
    found = await examine("--controller", places[0], "--central", places[1])
    assert (found.code, found.wrong) == (EX_OK, set())
    assert found.verdict("port") == "ok"
    assert found.verdict("speed") == ("ok" if kind == "pty" else "skipped")
    assert found.steps["extended-on-air"]["found"] == "accepted, and received by the second controller"
    latency, throughput = found.steps["link-latency"]["figures"], found.steps["link-throughput"]["figures"]
    assert latency["writes"] == 100 and latency["interval_ms"] == 15
    assert 15 <= latency["median_ms"] <= latency["p99_ms"]
    assert 0 < throughput["kbps"] <= throughput["limit_kbps"]


async def test_without_a_second_controller(launch: Launch) -> None:
    program = await launch("radio", "--json", "--join", "tcp")
    [place] = (await program.ready())["joining"]
    found = await examine("--controller", place)
    assert (found.code, found.wrong) == (EX_OK, set())
    assert found.verdict("listener") == "skipped" and found.verdict("legacy-on-air") == "ok"
    assert found.verdict("link-latency") == found.verdict("link-throughput") == "skipped"


# Bumble


async def test_bumble() -> None:
    link = LocalLink()
    served = ServedController(Controller("patient", link=link))
    async with await asyncio.get_running_loop().create_server(lambda: served, LOOPBACK, 0) as server:
        found = await examine("--controller", f"tcp-client:{LOOPBACK}:{server.sockets[0].getsockname()[1]}")
        for step in ("port", "synchronization", "firmware", "exchanges", "flow-control", "stability"):
            assert found.verdict(step) == "ok", found.steps[step]
        served.hang_up()


# No controller, or something else


async def test_nobody() -> None:
    found = await examine("--controller", f"tcp-client:{LOOPBACK}:{free_port()}")
    assert (found.code, found.wrong) == (EX_UNAVAILABLE, {"port"})
    assert found.report["controller_is_there"] is False


async def test_web_server() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(4096):
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, LOOPBACK, 0) as server:
        found = await examine("--controller", f"tcp-client:{LOOPBACK}:{server.sockets[0].getsockname()[1]}")
        assert (found.code, found.wrong) == (EX_UNAVAILABLE, {"synchronization"})
        assert "not HCI" in found.steps["synchronization"]["found"]


class Relay:
    """A line to a controller of the virtual radio. It can limit the rate, in octets per second, and pause once, before the
    controller's hundredth piece of data.
    """

    def __init__(self, place: str, rate: float | None = None, stall: float = 0) -> None:
        self.port = int(place.rsplit(":", 1)[1])
        self.rate = rate
        self.stall = stall
        self.tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Relay:
        self.server = await asyncio.start_server(self.serve, LOOPBACK, 0)
        self.place = f"tcp-client:{LOOPBACK}:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        for task in self.tasks:
            task.cancel()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_controller, to_controller = await asyncio.open_connection(LOOPBACK, self.port)
        self.tasks.append(asyncio.create_task(self.carry(reader, to_controller, 0)))
        await self.carry(from_controller, writer, self.stall)

    async def carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, stall: float) -> None:
        loop = asyncio.get_running_loop()
        free, count = loop.time(), 0
        while octets := await source.read(256):
            count += 1
            free = max(free, loop.time()) + (len(octets) / self.rate if self.rate else 0)
            free += stall if count == 100 else 0
            loop.call_at(free, sink.write, octets)
        sink.close()


async def test_octets_that_come_late_are_not_lost(launch: Launch) -> None:
    program = await launch("radio", "--json", "--join", "tcp")
    [place] = (await program.ready())["joining"]
    async with Relay(place, stall=2.5) as relay:
        found = await examine("--controller", relay.place)
    assert found.code == FAULTS and found.verdict("exchanges") == "ok"
    latency = found.steps["latency"]
    assert latency["verdict"] == "failed" and latency["figures"]["late"] == 1
    assert latency["figures"]["longest_ms"] >= 2500 and "were late" in latency["found"]


async def test_a_slow_line_is_the_bound(launch: Launch) -> None:
    """Both lines carry 20,000 octets per second, which only a measurement shows; the air carries five times as much."""
    program = await launch("radio", "--json")
    places = (await program.ready())["joining"]
    async with Relay(places[0], rate=20_000) as first, Relay(places[1], rate=20_000) as second:
        found = await examine("--controller", first.place, "--central", second.place)
    assert 10_000 < found.steps["throughput"]["figures"]["octets_per_second"] < 21_000
    link = found.steps["link-throughput"]
    assert link["figures"]["bound_by"] == "line rate" and link["figures"]["kbps"] < 160
    assert link["verdict"] == "warning" and "a faster line" in link["fix"]


async def test_line_that_loses_octets(launch: Launch) -> None:
    """A relay drops every 1000th octet from the controller."""
    program = await launch("radio", "--json", "--join", "tcp")
    [place] = (await program.ready())["joining"]
    port = int(place.rsplit(":", 1)[1])

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_controller, to_controller = await asyncio.open_connection(LOOPBACK, port)

        async def up() -> None:
            while octets := await reader.read(4096):
                to_controller.write(octets)
            to_controller.close()

        forward = asyncio.create_task(up())
        count = 0
        while octets := await from_controller.read(4096):
            kept = bytes(octet for number, octet in enumerate(octets, count + 1) if number % 1000)
            count += len(octets)
            writer.write(kept)
        writer.close()
        await forward

    async with await asyncio.start_server(relay, LOOPBACK, 0) as server:
        found = await examine("--controller", f"tcp-client:{LOOPBACK}:{server.sockets[0].getsockname()[1]}")
        assert (found.code, found.wrong) == (FAULTS, {"exchanges"})
        assert found.verdict("flow-control") == "skipped"


# Boards

needs_umockdev = pytest.mark.skipif(not is_installed(), reason="umockdev is not installed")


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = Bench()
    yield bench
    bench.close()


@needs_umockdev
async def test_board(bench: Bench) -> None:
    await bench.plug(DONGLE, "ttyACM0", answering=(0,))
    found = await examine(environment=bench.environment)
    assert found.verdict("port") == "ok" and found.verdict("speed") == "ok"
    assert "serial/by-id" in found.steps["port"]["found"]
    assert found.verdict("modem-manager") == "ok"


@needs_umockdev
async def test_board_without_permission(bench: Bench) -> None:
    board = await bench.plug(DONGLE, "ttyACM0", answering=(0,))
    os.fchmod(board.ports[0].slave, 0)
    user = NOBODY if os.geteuid() == 0 else None
    found = await examine("--controller", "serial:/dev/ttyACM0", environment=bench.environment, user=user)
    assert (found.code, found.wrong) == (EX_UNAVAILABLE, {"port"})
    assert "Hardware/udev/install" in found.steps["port"]["fix"]


@needs_umockdev
async def test_silent_board(bench: Bench) -> None:
    await bench.plug(jlink("1"), "ttyACM0")
    found = await examine("--controller", "serial:/dev/ttyACM0", environment=bench.environment)
    assert (found.code, found.wrong) == (EX_UNAVAILABLE, {"speed"})


@needs_umockdev
@pytest.mark.parametrize("ignored", [False, True], ids=["near", "kept-away"])
async def test_modem_manager(bench: Bench, tmp_path: Path, ignored: bool) -> None:
    """A program of that name runs, with and without a udev rule that keeps it away."""
    sleep = tmp_path / "ModemManager"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", sleep)
    process = await asyncio.create_subprocess_exec(sleep, "60")
    try:
        board = await bench.plug(DONGLE, "ttyACM0", answering=(0,))
        if ignored:
            uevent = bench.root / f"sys{board.ports[0].path}" / "uevent"
            uevent.write_text(uevent.read_text() + "ID_MM_DEVICE_IGNORE=1\n")
        found = await examine("--controller", "serial:/dev/ttyACM0", environment=bench.environment)
        assert found.verdict("modem-manager") == ("ok" if ignored else "warning")
    finally:
        process.kill()
        await process.wait()


# The command line


@pytest.mark.parametrize(
    "options",
    [
        ("--controller", "auto", "--preset", "full"),
        ("--controller", "virtual", "--central", "unix:/tmp/x"),
        ("--controller", "unix:/tmp/x", "--central", "auto"),
    ],
)
async def test_usage(options: tuple[str, ...]) -> None:
    assert (await run("doctor", *options)).code == EX_USAGE


async def test_text() -> None:
    completed = await run("doctor", "--controller", "virtual", "--preset", "zephyr-hci-uart", timeout=PATIENCE)
    assert completed.code == EX_OK
    assert "CONFIG_BT_EXT_ADV=y" in completed.output and "The controller works: 4 warnings." in completed.output
