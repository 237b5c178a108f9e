"""Control of the virtual radio: impaired at the start and over HTTP, captured, and at another speed."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from bumble import hci
from bumble.device import Connection, Device

from conftest import EVERYTHING, Launch
from support import pcapng
from support.central import Central
from support.controllers import LOOPBACK, address_of
from support.program import EX_IOERR, EX_USAGE, run
from support.radio import PATIENCE, Radio, advertise, connected, disconnection
from support.web import Client
from test_radio_hosts import CENTRAL, Start, start, use_channel, use_gatt

__all__ = ["start"]


async def met(radio: Radio) -> tuple[Device, Device, Connection, Connection]:
    """A connected peripheral (`tcp-1`) and central (`tcp-2`)."""
    peripheral, central = await radio.peripheral(0), await radio.device(1, CENTRAL)
    await advertise(peripheral, extended=True)
    return peripheral, central, *await connected(central, peripheral)


@pytest.mark.parametrize("impairment", [{"loss": 0.2}, {"loss": "20%"}, {"loss": "L...."}, {"ber": 2e-4}])
async def test_what_is_lost_comes_again(start: Start, impairment: dict[str, Any]) -> None:
    """The link layer retransmits lost packets, so hosts receive all of them, in order.

    A loss during connection establishment may end it, as on any air (Core 5.4 Vol 6 Part B 4.5), so the impairment starts later.
    """
    radio = await start(http=True)
    peripheral, _, near, _ = await met(radio)
    assert radio.client
    assert (await radio.client.put("/v1/radio/default", impairment)).status == 200
    await use_gatt(near, peripheral)
    await use_channel(near, peripheral)


async def test_scanning_through_losses(start: Start) -> None:
    radio = await start("--impair", "loss=60%")
    peripheral, central = await radio.peripheral(0), Central(await radio.device(1, CENTRAL))
    await advertise(peripheral, extended=True)
    for _ in range(5):
        await central.find(peripheral.random_address)


async def test_out_of_range_and_back(start: Start) -> None:
    radio = await start(http=True)
    peripheral, central, near, far = await met(radio)
    await use_gatt(near, peripheral)
    ends = [disconnection(near), disconnection(far)]
    assert radio.client
    answer = await radio.client.put("/v1/radio/default", {"reachable": False})
    assert answer.status == 200 and answer.json["reachable"] is False
    assert await asyncio.wait_for(asyncio.gather(*ends), PATIENCE) == [0x08, 0x08]
    assert (await radio.client.request("DELETE", "/v1/radio/default")).json["reachable"] is True
    near, _ = await connected(central, peripheral)
    await near.disconnect()


async def test_one_way_path(start: Start) -> None:
    """RSSI belongs to a direction: the central hears the peripheral weakly."""
    radio = await start("--impair", "from=tcp-1,to=tcp-2,rssi=-91", http=True)
    peripheral, central = await radio.peripheral(0), Central(await radio.device(1, CENTRAL))
    await advertise(peripheral, extended=True)
    assert (await central.find(peripheral.random_address)).rssi == -91
    assert radio.client
    await radio.client.put("/v1/radio/paths/tcp-1/tcp-2", {"rssi": -33})
    assert (await central.find(peripheral.random_address, lambda found: found.rssi == -33)).rssi == -33


async def test_controller_that_hangs(start: Start) -> None:
    radio = await start(http=True)
    _, central, near, _ = await met(radio)
    await near.get_rssi()
    end = disconnection(near)
    assert radio.client
    await radio.client.put("/v1/radio/controllers/tcp-1", {"hung": True})
    assert await asyncio.wait_for(end, PATIENCE) == 0x08
    await radio.client.put("/v1/radio/controllers/tcp-2", {"hung": True})
    with pytest.raises(TimeoutError):
        await central.host.send_sync_command(hci.HCI_Read_BD_ADDR_Command(), response_timeout=0.3)


async def test_latency(start: Start) -> None:
    radio = await start("--impair", "controller=tcp-1,latency=50ms", "--join", "tcp")
    began = time.monotonic()
    device = await radio.device(0, CENTRAL)
    began = time.monotonic()
    await device.host.send_sync_command(hci.HCI_Read_BD_ADDR_Command())
    assert time.monotonic() - began >= 0.05


async def test_controller_that_restarts_says_so(start: Start) -> None:
    radio = await start(http=True)
    peripheral, _, near, _ = await met(radio)
    heard: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    take = peripheral.host.on_packet

    def on_packet(packet: bytes) -> None:
        if packet[:2] == b"\x04\x10" and not heard.done():
            heard.set_result(packet)
        take(packet)

    source = radio.transports[0].source
    source.set_packet_sink(type("Sink", (), {"on_packet": staticmethod(on_packet)})())
    end = disconnection(near)
    assert radio.client
    answer = await radio.client.post("/v1/radio/controllers/tcp-1/restart", {"notice": "hardware-error", "code": 66})
    assert answer.status == 200
    assert await asyncio.wait_for(heard, PATIENCE) == b"\x04\x10\x01\x42"
    assert await asyncio.wait_for(end, PATIENCE) == 0x08


async def test_accessory_on_an_impaired_radio(launch: Launch) -> None:
    """`run` has the same options and routes, and the accessory recovers from a restart of its controller."""
    program = await launch(
        "run", EVERYTHING, "--json", "--http", f"{LOOPBACK}:0", "--impair", "controller=accessory,latency=1ms", "--preset", "zephyr-extended"
    )
    ready = await program.ready()
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    radio = Radio(program, ready["joining"], client)
    central = Central(await radio.device(0, CENTRAL))
    session = await central.connect(address_of(ready))
    assert await session.exchange_mtu(517) == 517
    assert len(await session.read(await session.handle_of("FFF1"))) == 512
    (accessory, host) = (await client.get("/v1/radio")).json["controllers"]
    assert (accessory["name"], accessory["place"], accessory["preset"]) == (
        "accessory",
        "this process",
        "zephyr-extended",
    )
    assert host["name"] == "tcp-1"
    seen = len(program.events)
    await client.post("/v1/radio/controllers/accessory/restart", {"notice": "assertion", "file": "ull.c", "line": 7})
    await program.event("advertising-ready", since=seen)
    assert await asyncio.wait_for(session.disconnected, PATIENCE) == 0x08
    await radio.close()


async def test_capture(start: Start, tmp_path: Path) -> None:
    """Everything on the air and at every controller, readable while it grows."""
    path = tmp_path / "radio.pcapng"
    radio = await start("--capture", path, "--join", f"pty:{tmp_path}/tty", *["--join", "tcp"] * 2)
    peripheral, central = await radio.peripheral(0), await radio.device(1, CENTRAL)
    await advertise(peripheral, extended=True)
    near, _ = await connected(central, peripheral)
    await use_gatt(near, peripheral)
    deadline = time.monotonic() + PATIENCE
    notification = bytes([4]) * 100
    while not any(notification in octets for _, octets in pcapng.read(path)[-1].packets):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    air, terminal, first, second = pcapng.read(path)
    assert (air.name, terminal.name, first.name, second.name) == ("air", "pty-1", "tcp-1", "tcp-2")
    assert air.link_type == pcapng.AIR
    assert {terminal.link_type, first.link_type, second.link_type} == {pcapng.H4_WITH_DIRECTION}
    assert not terminal.packets
    # Sent by the peripheral's host, on the air, received by the central's.
    for interface in (air, first, second):
        assert any(notification in octets for _, octets in interface.packets), interface.name
    assert first.packets[0][1] == bytes.fromhex("00000000 01030c00")
    # Extended advertising in the capture: ADV_EXT_IND on the primary channels, AUX_ADV_IND with the name.
    assert any(octets[10:14] == bytes.fromhex("d6be898e") and octets[14] & 0x0F == 7 for _, octets in air.packets)
    assert any(b"Peripheral" in octets for _, octets in air.packets)
    for interface in (air, first, second):
        times = [moment for moment, _ in interface.packets]
        assert abs(times[-1] / 1e9 - time.time()) < 60


async def test_capture_of_a_run(launch: Launch, tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    program = await launch("run", EVERYTHING, "--json", "--capture", path)
    await program.ready()
    deadline = time.monotonic() + PATIENCE
    while not ((interfaces := pcapng.read(path)) and interfaces[0].packets):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    assert [interface.name for interface in interfaces] == ["air", "accessory"]
    assert interfaces[1].packets


async def test_capture_that_cannot_be_made(tmp_path: Path) -> None:
    completed = await run("radio", "--capture", tmp_path / "absent" / "radio.pcapng")
    assert completed.code == EX_IOERR and "absent" in completed.errors
    completed = await run("radio", "--capture", tmp_path / "radio.btsnoop")
    assert completed.code == EX_USAGE and ".pcapng" in completed.errors


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--impair", "loss=120%"), "loss must be a fraction"),
        (("--impair", "controller=phone,hung"), "must be the name of a controller"),
        (("--preset", "zephyr"), "there is no preset 'zephyr' (known: full, "),
        (("--join", "tcp=5.9"), "there is no preset '5.9'"),
        (("--join", "tcp:70000"), "'70000' is not a port"),
        (("--speed", "0"), "takes real, fast, or a number"),
        (("--settle", "2ms"), "--settle needs --speed fast"),
        (("--join", "usb"), "'usb' is not a place to join (known: tcp[:PORT], "),
        (("--join", "unix:"), "'unix:' is not a place to join"),
    ],
)
async def test_wrong_usage(options: tuple[str, ...], complaint: str) -> None:
    completed = await run("radio", *options)
    assert completed.code == EX_USAGE
    assert complaint in completed.errors


async def test_radio_options_need_a_radio() -> None:
    completed = await run("run", EVERYTHING, "--controller", "pty", "--impair", "loss=1%")
    assert completed.code == EX_USAGE and "--controller virtual" in completed.errors


@pytest.mark.parametrize("speed", ["fast", "20"])
async def test_speed(start: Start, speed: str) -> None:
    """Hosts with their own clocks work as usual; the supervision timeout passes sooner."""
    radio = await start("--speed", speed, http=True)
    peripheral, central = await radio.peripheral(0), await radio.device(1, CENTRAL)
    await advertise(peripheral, extended=True)
    near, far = await connected(central, peripheral)
    await use_gatt(near, peripheral)
    await near.update_parameters(100, 100, 0, 20_000)
    ends = [disconnection(near), disconnection(far)]
    assert radio.client
    state = (await radio.client.get("/v1/radio")).json["time"]
    assert state["speed"] == ("fast" if speed == "fast" else 20)
    began = time.monotonic()
    await radio.client.put("/v1/radio/default", {"reachable": False})
    assert await asyncio.wait_for(asyncio.gather(*ends), PATIENCE) == [0x08, 0x08]
    assert time.monotonic() - began < 10
    elapsed = (await radio.client.get("/v1/radio")).json["time"]["elapsed_ms"] - state["elapsed_ms"]
    assert elapsed >= 15_000


async def test_terminal_is_closed_and_opened_again(start: Start, tmp_path: Path) -> None:
    """The controller behind a terminal continues when its host disconnects, like a board."""
    radio = await start("--join", f"pty:{tmp_path}/tty", "--join", "tcp", http=True)
    assert radio.client
    for round in range(3):
        device = await radio.device(1, CENTRAL)
        await radio.program.count("joined", round + 1)
        await radio.transports.pop().close()
        await radio.program.count("left", round + 1)
        (controller,) = (await radio.client.get("/v1/radio")).json["controllers"]
        assert controller["name"] == "pty-1" and controller["host"] is False
        assert device
