"""Boards that are found, plugged in, unplugged and plugged in again."""

from __future__ import annotations

import fcntl
import grp
import json
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest

from conftest import EVERYTHING, Launch
from support.boards import BOOTLOADER, DONGLE, NOBODY, Bench, is_installed, jlink
from support.central import Central
from support.controllers import address_of
from support.program import EX_OK, EX_UNAVAILABLE, Program, run

pytestmark = pytest.mark.skipif(not is_installed(), reason="umockdev is not installed")
PATIENCE = 30


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = Bench()
    yield bench
    bench.close()


async def listed(bench: Bench, *options: str, user: int | None = None) -> list[dict[str, Any]]:
    completed = await run("controllers", "--json", *options, environment=bench.environment, user=user)
    assert completed.code == EX_OK, completed.errors
    return json.loads(completed.output)


async def refusal(bench: Bench, *options: str, user: int | None = None) -> str:
    """Returns the program's output when it does not start."""
    completed = await run("run", EVERYTHING, "--json", *options, environment=bench.environment, user=user)
    assert completed.code == EX_UNAVAILABLE, completed.errors
    return completed.errors


async def begin(bench: Bench, launch: Launch, controller: str, *options: str) -> Program:
    return await launch(
        "run", EVERYTHING, "--json", "--seed", "1", "--controller", controller, *options, environment=bench.environment
    )


async def central(bench: Bench, number: int = 1) -> Central:
    return await Central.open(await bench.host(), f"F0:00:00:00:00:{number:02X}")


# Listing


async def test_nothing_plugged_in(bench: Bench) -> None:
    assert await listed(bench) == []
    completed = await run("controllers", environment=bench.environment)
    assert completed.code == EX_OK
    assert "no USB serial port" in completed.output and "--controller virtual" in completed.output


async def test_listing(bench: Bench) -> None:
    await bench.plug(jlink("000683000001", (0, 2)), "ttyACM0", "ttyACM1")
    await bench.plug(DONGLE, "ttyACM2")
    await bench.plug(BOOTLOADER, "ttyACM3")
    ports = await listed(bench)
    assert [port["path"] for port in ports] == [f"/dev/ttyACM{number}" for number in range(4)]
    assert [port["interface"] for port in ports] == [0, 2, 0, 0]
    assert [port["role"] for port in ports] == ["probe", "probe", "controller", "bootloader"]
    assert [port["may_carry_controller"] for port in ports] == [True, True, True, False]
    probe = ports[1]
    assert (probe["usb_id"], probe["serial_number"], probe["product"]) == ("1366:1051", "000683000001", "J-Link")
    assert probe["stable_path"] == "/dev/serial/by-id/usb-SEGGER_J-Link_000683000001-if02"
    assert probe["address"] == f"serial:{probe['stable_path']}"
    assert "probe" not in probe
    completed = await run("controllers", environment=bench.environment)
    assert "Understudy's firmware" in completed.output and "--controller serial:/dev/serial/by-id" in completed.output


async def test_probing(bench: Bench) -> None:
    await bench.plug(DONGLE, "ttyACM0", answering=(0,))
    await bench.plug(jlink("1"), "ttyACM1")
    busy = await bench.plug(jlink("2"), "ttyACM2", answering=(0,))
    await bench.plug(BOOTLOADER, "ttyACM3", answering=(0,))
    fcntl.flock(busy.ports[0].slave, fcntl.LOCK_EX)
    findings = [port.get("probe") for port in await listed(bench, "--probe")]
    assert [finding and finding["answer"] for finding in findings] == ["controller", "silent", "unavailable", None]
    assert findings[0]["baud"] == 1_000_000 and findings[0]["version"] == "5.0"
    assert findings[2]["reason"] == "another program is using it"


async def test_port_without_permission(bench: Bench) -> None:
    board = await bench.plug(DONGLE, "ttyACM0", answering=(0,))
    slave = board.ports[0].slave
    # As on Debian, where serial ports belong to the group.
    os.fchown(slave, -1, grp.getgrnam("dialout").gr_gid)
    os.fchmod(slave, 0)
    user = NOBODY if os.geteuid() == 0 else None
    [port] = await listed(bench, "--probe", user=user)
    assert port["accessible"] is False
    assert port["probe"]["reason"] == "permission denied" and "Hardware/udev/install" in port["probe"]["advice"]
    errors = await refusal(bench, "--controller", "serial:/dev/ttyACM0", user=user)
    assert "permission denied" in errors and "Hardware/udev/install" in errors and "usermod -aG dialout" in errors


async def test_port_in_use(bench: Bench) -> None:
    board = await bench.plug(DONGLE, "ttyACM0", answering=(0,))
    fcntl.flock(board.ports[0].slave, fcntl.LOCK_EX)
    for controller in ("auto", "serial:/dev/ttyACM0"):
        errors = await refusal(bench, "--controller", controller)
        assert "another program is using it" in errors and "ModemManager" in errors


async def test_probing_for_people(bench: Bench) -> None:
    await bench.plug(DONGLE, "ttyACM0", answering=(0,))
    await bench.plug(jlink("1"), "ttyACM1")
    await bench.plug(BOOTLOADER, "ttyACM2")
    completed = await run("controllers", "--probe", environment=bench.environment)
    assert completed.code == EX_OK
    ports = completed.output.split("/dev/ttyACM")
    assert "controller   a controller, HCI 5.0" in ports[1] and "at 1000000 bit/s" in ports[1]
    assert "use          --controller serial:" in ports[1]
    assert "controller   silent" in completed.output
    # A bootloader is not probed, and not recommended.
    bootloader = completed.output[completed.output.index("Open DFU Bootloader") :]
    assert "controller  " not in bootloader and "use  " not in bootloader


# Choosing


async def test_auto_takes_the_only_board(bench: Bench, launch: Launch) -> None:
    await bench.plug(BOOTLOADER, "ttyACM0")
    await bench.plug(DONGLE, "ttyACM1", answering=(0,))
    program = await begin(bench, launch, "auto")
    assert (await program.event("controller-found"))["controller"] == "serial:/dev/ttyACM1"
    await program.ready()


async def test_auto_takes_the_port_that_answers(bench: Bench, launch: Launch) -> None:
    await bench.plug(jlink("1", (0, 2)), "ttyACM0", "ttyACM1", answering=(1,))
    program = await begin(bench, launch, "auto")
    assert (await program.event("controller-found"))["controller"] == "serial:/dev/ttyACM1"
    await program.ready()


@pytest.mark.parametrize("answering", [(), (0, 1)], ids=["none", "both"])
async def test_auto_cannot_choose(bench: Bench, answering: tuple[int, ...]) -> None:
    await bench.plug(jlink("1", (0, 2)), "ttyACM0", "ttyACM1", answering=answering)
    errors = await refusal(bench, "--controller", "auto")
    assert "/dev/ttyACM0" in errors and "/dev/ttyACM1" in errors
    assert ("several controllers answer" if answering else "silent") in errors


# Waiting


@pytest.mark.parametrize("controller", ["auto", "serial:/dev/ttyACM0"])
async def test_no_wait(bench: Bench, controller: str) -> None:
    errors = await refusal(bench, "--controller", controller, "--no-wait")
    assert controller in errors


@pytest.mark.parametrize("controller", ["auto", "serial:/dev/ttyACM0"])
async def test_board_that_comes_later(bench: Bench, launch: Launch, controller: str) -> None:
    program = await begin(bench, launch, controller)
    assert controller in (await program.event("controller-missing"))["reason"]
    await bench.plug(DONGLE, "ttyACM0", answering=(0,))
    assert (await program.event("controller-found"))["controller"] == "serial:/dev/ttyACM0"
    await program.ready()


async def test_end_while_waiting(bench: Bench, launch: Launch) -> None:
    program = await begin(bench, launch, "auto")
    await program.event("controller-missing")
    program.send_signal(signal.SIGINT)
    assert await program.wait(PATIENCE) == EX_OK


@pytest.mark.parametrize("name", ["ttyACM0", "ttyACM7"], ids=["same-name", "other-name"])
async def test_replugging(bench: Bench, launch: Launch, name: str) -> None:
    mine = jlink("000683000001")
    board = await bench.plug(mine, "ttyACM0", answering=(0,))
    program = await begin(bench, launch, "serial:/dev/ttyACM0")
    ready = await program.ready()
    session = await (await central(bench)).connect(address_of(ready))
    handle = await session.handle_of("FFF2")
    await session.write(handle, b"kept")
    bench.unplug(board)
    assert (await program.event("controller-lost"))["reason"]
    await program.event("disconnected")
    if name != "ttyACM0":
        # Another board gets the name, and is not mistaken for the one that was unplugged.
        await bench.plug(jlink("000683000002"), "ttyACM0", answering=(0,))
        await program.event("controller-missing", where=lambda event: "000683000001" in event["reason"])
    count = len(program.events)
    await bench.plug(mine, name, answering=(0,))
    assert (await program.event("controller-found", since=count))["controller"] == f"serial:/dev/{name}"
    again = await program.event("ready", since=count)
    assert again["address"] == ready["address"] and again["advertising"] == ready["advertising"]
    session = await (await central(bench, 2)).connect(address_of(again))
    assert await session.read(await session.handle_of("FFF2")) == b"kept"


async def test_unplugging_without_waiting(bench: Bench, launch: Launch) -> None:
    board = await bench.plug(DONGLE, "ttyACM0", answering=(0,))
    program = await begin(bench, launch, "auto", "--no-wait")
    await program.ready()
    bench.unplug(board)
    assert await program.wait(PATIENCE) == EX_UNAVAILABLE
    assert "the controller is gone" in program.errors
