"""A Bluetooth adapter of this machine through the kernel's HCI user channel, which a library simulates here."""

from __future__ import annotations

import errno
import json
from collections.abc import AsyncIterator

import pytest

from conftest import EVERYTHING, Launch, Stage
from support.adapters import UserChannel
from support.boards import Bench, is_installed, jlink
from support.program import EX_OK, EX_UNAVAILABLE, run


@pytest.fixture
async def channel() -> AsyncIterator[UserChannel]:
    channel = UserChannel()
    yield channel
    await channel.close()
    assert channel.mistakes == []


@pytest.fixture
async def stage(channel: UserChannel, launch: Launch) -> Stage:
    return Stage(channel, launch)


async def test_a_central_reads_writes_and_subscribes(stage: Stage, channel: UserChannel) -> None:
    await stage.run("heart-rate", environment=channel.environment)
    session = await stage.connect(mtu=247)
    location = await session.handle_of("2A38")
    assert await session.read(location) == b"\x01"
    measurement = await session.handle_of("2A37")
    await session.subscribe(measurement)
    await session.arrivals(2, measurement)
    assert channel.packets > 20


async def test_several_accessories_share_an_adapter(channel: UserChannel, launch: Launch) -> None:
    channel.offer_extended_advertising()
    program = await launch(
        "run", "heart-rate", "battery", "--controller", "hci:0", "--json", environment=channel.environment
    )
    assert len(await program.count("ready", 2)) == 2


async def test_an_adapter_that_is_unplugged_is_waited_for(stage: Stage, channel: UserChannel) -> None:
    program = await stage.run("heart-rate", environment=channel.environment)
    channel.unplug()
    missing = await program.event("controller-missing", where=lambda event: "there is no hci0" in event["reason"])
    assert "understudy controllers" in missing["reason"]
    channel.plug()
    await program.event("controller-found")
    await program.count("ready", 2)
    session = await stage.connect()
    assert await session.read(await session.handle_of("2A38")) == b"\x01"


@pytest.mark.parametrize(
    ("code", "why", "advice"),
    [
        (errno.EPERM, "CAP_NET_ADMIN", "sudo setcap cap_net_admin+ep"),
        (errno.EBUSY, "switched on", "bluetoothctl power off"),
        (errno.EUSERS, "another program", "end that program"),
        (errno.ERFKILL, "rfkill", "rfkill unblock bluetooth"),
        (errno.EAFNOSUPPORT, "no access to Bluetooth", "modprobe"),
    ],
)
async def test_an_adapter_that_cannot_be_had(channel: UserChannel, code: int, why: str, advice: str) -> None:
    """Waiting would not help: the user must act first."""
    completed = await run("run", EVERYTHING, "--controller", "hci:0", environment=channel.refusing(code))
    assert completed.code == EX_UNAVAILABLE
    assert "hci:0" in completed.errors and why in completed.errors and advice in completed.errors


async def test_no_such_adapter(channel: UserChannel) -> None:
    completed = await run(
        "run", EVERYTHING, "--controller", "hci:7", "--no-wait", environment=channel.environment
    )
    assert completed.code == EX_UNAVAILABLE
    assert "there is no hci7" in completed.errors and "understudy controllers" in completed.errors


async def test_the_doctor_examines_an_adapter(channel: UserChannel) -> None:
    completed = await run("doctor", "--controller", "hci:0", "--json", environment=channel.environment, timeout=60)
    report = json.loads(completed.output)
    assert completed.code in (EX_OK, 1), completed.errors
    steps = {step["step"]: step for step in report["steps"]}
    assert steps["port"]["verdict"] == "ok"


@pytest.mark.skipif(not is_installed(), reason="umockdev is not installed")
async def test_adapters_are_listed() -> None:
    bench = Bench()
    try:
        board = await bench.plug(jlink("1"), "ttyACM0")
        bench.add_adapter(board, "hci0")
        listed = await run("controllers", "--json", environment=bench.environment)
        port, adapter = json.loads(listed.output)
        assert (port["kind"], port["path"]) == ("serial", "/dev/ttyACM0")
        assert (adapter["kind"], adapter["name"], adapter["address"]) == ("adapter", "hci0", "hci:0")
        assert adapter["usb_id"] == "1366:1051"
        words = await run("controllers", environment=bench.environment)
        assert "--controller hci:0" in words.output
    finally:
        bench.close()
