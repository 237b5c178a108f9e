"""Many clients and many accessories on one bus, and clients that disappear."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from bus import ACCESSORY as ACCESSORY
from bus import ADAPTER, ADAPTER1, CHARACTERISTIC1, DEVICE1, Client, with_agent
from bus import bluez as bluez
from dbus_fast import MessageType
from person import PATIENCE, waited
from test_bleak import COUNT, TEXT

from understudy import Accessory, aio
from understudy.bluez import BlueZ, PrivateBus
from understudy.bluez._sending import PatientSocket
from understudy.central import Scan


async def test_a_client_that_vanishes_leaves_nothing(accessory: Accessory, bluez: BlueZ) -> None:
    """During any call, many times."""
    device = ""
    for turn in range(40):
        client = await Client.open()
        if not device:
            device = await client.find(accessory)
            count = (await client.resolve(device))[COUNT]
            text = next(
                path
                for path in await client.objects()
                if path.startswith(count.rsplit("/", 1)[0]) and path.endswith(bluez_handle(bluez, device, TEXT))
            )
        await with_agent(client, "KeyboardDisplay", lambda message: None)
        call: tuple[Any, ...] = [
            (ADAPTER, ADAPTER1, "StartDiscovery"),
            (count, CHARACTERISTIC1, "StartNotify"),
            (count, CHARACTERISTIC1, "AcquireNotify", "a{sv}", {}),
            (text, CHARACTERISTIC1, "ReadValue", "a{sv}", {}),
            (ADAPTER, "org.bluez.AdvertisementMonitorManager1", "RegisterMonitor", "o", "/"),
        ][turn % 5]
        attempt = asyncio.create_task(client.reply(*call))
        await asyncio.sleep(0.001 + (turn % 4) * 0.004)
        client.bus.disconnect()
        attempt.cancel()
        await asyncio.wait({attempt})

    def is_clean() -> bool:
        link = bluez.adapter.devices[accessory.address].link
        return bool(
            link
            and not bluez.agents.agents
            and not bluez.adapter._discoverers
            and not bluez.central.is_scanning
            and not bluez.adapter.monitors._apps
            and not any(bluez.tree.calls.values())
            and len(link._listeners) == 2
        )

    # The remaining subscriptions belong to the device itself: Service Changed and the battery.
    await waited(is_clean)


def bluez_handle(bluez: BlueZ, device: str, uuid: str) -> str:
    link = next(one.link for one in bluez.adapter.devices.values() if one.path == device)
    assert link
    return next(f"char{one.handle:04x}" for one in link.characteristics() if one.uuid == uuid)


@pytest.mark.parametrize("member", ["Connect", "Pair"])
async def test_a_client_that_vanishes_gives_its_attempt_up(accessory: Accessory, bluez: BlueZ, member: str) -> None:
    """At any moment of the attempt; the next client succeeds."""
    last = await Client.open()
    device = await last.find(accessory)
    for turn in range(8):
        client = await Client.open()
        attempt = asyncio.create_task(client.reply(device, DEVICE1, member))
        await asyncio.sleep(turn * 0.02)
        client.bus.disconnect()
        attempt.cancel()
        await asyncio.wait({attempt})
        await waited(lambda: not any(bluez.tree.calls.values()))
        if bluez.adapter.devices[accessory.address].link:
            await last.reply(device, DEVICE1, "Disconnect")
        await bluez.central.forget(accessory.address)
        for bond in accessory.bonds():
            accessory.remove_bond(bond.id)
        bluez.tree.update(device, bluez.adapter.devices[accessory.address], Paired=False, Bonded=False)
    await last.call(device, DEVICE1, member)
    assert await last.get(device, DEVICE1, "Connected")
    last.bus.disconnect()


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 8, 13, 21])
async def test_a_scan_that_is_cancelled_leaves_the_controller_ready(bluez: BlueZ, steps: int) -> None:
    """While it begins, and while it ends."""

    async def cancel(operation: Coroutine[Any, Any, Scan | None]) -> None:
        task = asyncio.ensure_future(operation)
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled() and (scan := task.result()):
            await scan.stop()

    await cancel(bluez.central.scan(lambda _: None))
    for _ in range(2):
        seen = asyncio.Event()
        scan = await bluez.central.scan(lambda _, seen=seen: seen.set())  # type: ignore[misc]
        await asyncio.wait_for(seen.wait(), PATIENCE)
        await cancel(scan.stop())
    await waited(lambda: not bluez.central.device.is_scanning)


async def test_a_client_that_vanishes_while_it_stops_discovery(bluez: BlueZ) -> None:
    client = await Client.open()
    stop, stopping = bluez.central._end_scan, asyncio.Event()

    async def note(scan: Scan) -> None:
        stopping.set()
        await stop(scan)

    bluez.central._end_scan = note  # type: ignore[method-assign]
    await client.call(ADAPTER, ADAPTER1, "StartDiscovery")
    attempt = asyncio.create_task(client.reply(ADAPTER, ADAPTER1, "StopDiscovery"))
    await stopping.wait()
    bluez.tree.abandon(client.bus.unique_name or "")
    client.bus.disconnect()
    attempt.cancel()
    await asyncio.wait({attempt})
    await waited(lambda: not bluez.adapter.values["Discovering"] and not bluez.central.device.is_scanning)


async def test_signals_wait_while_the_bus_is_behind(accessory: Accessory, monkeypatch: pytest.MonkeyPatch) -> None:
    bus = await PrivateBus.start()
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address)
    service = await BlueZ.start(bus.address, accessory.air.joining[0])
    client = await Client.open()
    names = [f"{number}" for number in range(5000)]
    os.kill(bus._process.pid, signal.SIGSTOP)
    for name in names:
        service.tree.update(ADAPTER, service.adapter, Alias=name)
    # Messages that do not fit into the socket wait.
    assert service.bus._writer.messages
    os.kill(bus._process.pid, signal.SIGCONT)
    await waited(lambda: client.changes(ADAPTER, "Alias") == names)
    client.bus.disconnect()
    await service.stop()
    await bus.stop()


def test_descriptors_wait_with_their_message() -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    patient = PatientSocket(ours)
    filling = 0
    while sent := patient.send(memoryview(bytes(65536))):
        filling += sent
    read, write = os.pipe()
    descriptors = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, write.to_bytes(4, "little"))]
    assert patient.sendmsg([b"answer"], descriptors) == 0
    while filling:
        filling -= len(theirs.recv(filling))
    assert patient.send(memoryview(b"answer")) == 6
    octets, (received,), _, _ = socket.recv_fds(theirs, 100, 1)
    os.write(received, b"!")
    assert octets == b"answer" and os.read(read, 1) == b"!"
    # The descriptors are sent only once.
    assert patient.send(memoryview(b"more")) == 4
    assert socket.recv_fds(theirs, 100, 1)[:2] == (b"more", [])
    for descriptor in (read, write, received):
        os.close(descriptor)
    ours.close()
    theirs.close()


# Slow advertising, because Bumble's host, in Python, processes every advertisement of all fifty.
QUIET = """
understudy: 1
name: Quiet
advertising: [ { id: main, interval: 500 ms, data: { flags: [general], name: complete } } ]
"""


async def test_fifty_accessories(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All are found. The controller connects to its maximum at once; one more gets BlueZ's error."""
    profile = tmp_path / "quiet.yaml"
    profile.write_text(QUIET)
    async with aio.Program.start(*[str(profile)] * 50) as program:
        bus = await PrivateBus.start()
        service = await BlueZ.start(bus.address, program.air.joining[0])
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address)
        client = await Client.open()
        await client.call(ADAPTER, ADAPTER1, "StartDiscovery")
        await waited(lambda: len(service.adapter.devices) == 50)
        paths = sorted(path for path in await client.objects() if "/dev_" in path)
        replies = await asyncio.gather(*(client.reply(path, DEVICE1, "Connect") for path in paths[:9]))
        failures = [reply.body for reply in replies if reply.message_type is MessageType.ERROR]
        assert failures == [["le-connection-concurrent-connection-limit"]]
        client.bus.disconnect()
        await service.stop()
        await bus.stop()
