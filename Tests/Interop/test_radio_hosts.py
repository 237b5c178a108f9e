"""Bumble as the central and as the peripheral, on two controllers of the virtual radio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from bumble import hci, l2cap
from bumble.device import Connection, Device, Peer
from bumble.pairing import PairingConfig, PairingDelegate

from conftest import Launch
from support.controllers import LOOPBACK
from support.radio import DATA, NOTES, PATIENCE, SERVICE, VALUE, Radio, advertise, connected, disconnection
from support.web import Client

EXTENDED = {"full", "zephyr-extended", "nimble", "5.0"}
PRESETS = ["full", "zephyr-hci-uart", "zephyr-extended", "nimble", "4.0", "4.2", "5.0"]
CENTRAL = "F0:00:00:00:00:01"
PSM = 0x81

Start = Callable[..., Awaitable[Radio]]


@pytest.fixture
async def start(launch: Launch) -> AsyncIterator[Start]:
    """Starts a radio with options."""
    radios: list[Radio] = []

    async def run(*options: str | Path, http: bool = False) -> Radio:
        arguments = ["radio", "--json", *options] + (["--http", f"{LOOPBACK}:0"] if http else [])
        program = await launch(*arguments)
        radio = Radio(program, (await program.ready())["joining"])
        if http:
            radio.client = Client(LOOPBACK, (await program.event("http"))["port"])
        radios.append(radio)
        return radio

    yield run
    for radio in radios:
        await radio.close()


async def use_gatt(near: Connection, peripheral: Device) -> None:
    """Discovery, read, write and notification."""
    peer = Peer(near)
    await peer.request_mtu(247)
    await peer.discover_services()
    (service,) = peer.get_services_by_uuid(SERVICE)
    await service.discover_characteristics()
    (value,) = service.get_characteristics_by_uuid(VALUE)
    (notes,) = service.get_characteristics_by_uuid(NOTES)
    before = await value.read_value()
    assert before in (DATA, DATA[::-1])
    await value.write_value(before[::-1], with_response=True)
    assert await value.read_value() == before[::-1]
    await notes.discover_descriptors()
    heard: asyncio.Queue[bytes] = asyncio.Queue()
    await notes.subscribe(heard.put_nowait)
    source = peripheral.gatt_server.get_attribute(notes.handle)
    assert source
    for number in range(5):
        await peripheral.gatt_server.notify_subscribers(source, bytes([number]) * 100)
    for number in range(5):
        assert await asyncio.wait_for(heard.get(), PATIENCE) == bytes([number]) * 100


async def use_channel(near: Connection, peripheral: Device) -> None:
    """Uses a credit-based channel that echoes everything."""

    def serve(channel: l2cap.LeCreditBasedChannel) -> None:
        channel.sink = channel.write

    server = peripheral.create_l2cap_server(l2cap.LeCreditBasedChannelSpec(psm=PSM, mtu=512, mps=100), serve)
    channel = await near.create_l2cap_channel(l2cap.LeCreditBasedChannelSpec(psm=PSM, mtu=512, mps=100))
    echoed = bytearray()
    whole = asyncio.Event()

    def hear(data: bytes) -> None:
        echoed.extend(data)
        if len(echoed) == 5 * 500:
            whole.set()

    channel.sink = hear
    for number in range(5):
        channel.write(bytes([number]) * 500)
    await asyncio.wait_for(whole.wait(), PATIENCE)
    assert echoed == b"".join(bytes([number]) * 500 for number in range(5))
    await channel.disconnect()
    server.close()


async def meet_and_work(radio: Radio, extended: bool) -> None:
    peripheral = await radio.peripheral(0)
    central = await radio.device(1, CENTRAL)
    await advertise(peripheral, extended)
    near, far = await connected(central, peripheral)
    await use_gatt(near, peripheral)
    await use_channel(near, peripheral)
    ends = [disconnection(near), disconnection(far)]
    await near.disconnect()
    # The side that disconnects gets the local reason, the other side the remote one.
    assert await asyncio.wait_for(asyncio.gather(*ends), PATIENCE) == [0x16, 0x13]


@pytest.mark.parametrize("preset", PRESETS)
async def test_presets(start: Start, preset: str) -> None:
    await meet_and_work(await start("--preset", preset), preset in EXTENDED)


async def test_presets_that_differ(start: Start) -> None:
    """A controller of Bluetooth 4.0 at one place, and one with everything at the other."""
    radio = await start("--join", "tcp=4.0", "--join", "tcp:0=full", http=True)
    await meet_and_work(radio, extended=False)
    assert radio.client
    controllers = (await radio.client.get("/v1/radio")).json["controllers"]
    assert [(entry["name"], entry["preset"]) for entry in controllers] == [("tcp-1", "4.0"), ("tcp-2", "full")]


async def test_over_unix_sockets(start: Start, tmp_path: Path) -> None:
    radio = await start("--join", f"unix:{tmp_path}/one", "--join", f"unix:{tmp_path}/two")
    assert radio.places == [f"unix:{tmp_path}/one", f"unix:{tmp_path}/two"]
    await meet_and_work(radio, extended=True)


async def test_over_terminals(start: Start, tmp_path: Path) -> None:
    radio = await start("--join", f"pty:{tmp_path}/one", "--join", "pty")
    assert radio.places[0] == f"serial:{tmp_path}/one"
    await meet_and_work(radio, extended=True)


async def test_data_length_and_phy(start: Start) -> None:
    radio = await start()
    peripheral, central = await radio.peripheral(0), await radio.device(1, CENTRAL)
    await advertise(peripheral, extended=True)
    near, far = await connected(central, peripheral)
    # Bumble has suggested long packets to both controllers, which may have negotiated them already.
    await near.set_data_length(251, 2120)
    async with asyncio.timeout(PATIENCE):
        while (far.data_length.max_tx_octets, far.data_length.max_rx_octets) != (251, 251):
            await asyncio.sleep(0.01)
    changed = asyncio.Event()
    far.on(Connection.EVENT_CONNECTION_PHY_UPDATE, lambda phy: changed.set())
    await near.set_phy([hci.Phy.LE_2M], [hci.Phy.LE_2M])
    await asyncio.wait_for(changed.wait(), PATIENCE)
    phy = await far.get_phy()
    assert (phy.tx_phy, phy.rx_phy) == (hci.Phy.LE_2M, hci.Phy.LE_2M)
    await use_gatt(near, peripheral)


class Keypad(PairingDelegate):
    """Reads the number that the other side shows."""

    def __init__(self, shown: asyncio.Future[int]) -> None:
        super().__init__(PairingDelegate.KEYBOARD_INPUT_ONLY)
        self.shown = shown

    async def get_number(self) -> int:
        return await self.shown


class Display(PairingDelegate):
    """Shows a number."""

    def __init__(self, shown: asyncio.Future[int]) -> None:
        super().__init__(PairingDelegate.DISPLAY_OUTPUT_ONLY)
        self.shown = shown

    async def display_number(self, number: int, digits: int) -> None:
        self.shown.set_result(number)


@pytest.mark.parametrize("method", ["just-works", "passkey"])
async def test_pairing_and_bond(start: Start, method: str) -> None:
    """LE Secure Connections; then the bond encrypts the next connection, and a wrong key ends it."""
    radio = await start()
    peripheral, central = await radio.peripheral(0), await radio.device(1, CENTRAL)
    shown: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    for device, delegate in ((central, Keypad(shown)), (peripheral, Display(shown))):
        if method == "passkey":
            configuration = PairingConfig(sc=True, mitm=True, bonding=True, delegate=delegate)
        else:
            configuration = PairingConfig(sc=True, mitm=False, bonding=True, delegate=PairingDelegate())
        device.pairing_config_factory = lambda _, configuration=configuration: configuration
    await advertise(peripheral, extended=True)
    near, far = await connected(central, peripheral)
    await asyncio.wait_for(near.pair(), PATIENCE)
    assert near.is_encrypted and far.is_encrypted
    assert shown.done() == (method == "passkey")
    await use_gatt(near, peripheral)
    await near.disconnect()

    near, far = await connected(central, peripheral)
    assert not near.is_encrypted
    await asyncio.wait_for(near.encrypt(), PATIENCE)
    assert near.is_encrypted
    await use_gatt(near, peripheral)
    await near.disconnect()

    assert central.keystore
    ((_, keys),) = await central.keystore.get_all()
    assert keys.ltk
    keys.ltk.value = bytes(octet ^ 0xFF for octet in keys.ltk.value)
    near, far = await connected(central, peripheral)
    ends = [disconnection(near), disconnection(far)]
    encrypting = asyncio.create_task(near.encrypt())
    assert await asyncio.wait_for(asyncio.gather(*ends), PATIENCE) == [0x3D, 0x3D]
    encrypting.cancel()
    await asyncio.gather(encrypting, return_exceptions=True)
