"""A proxy between Bumble's central and an accessory: everything passes, and the profile that is learnt answers the same client."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from bumble import hci, l2cap
from bumble.device import Device, Peer
from bumble.host import Host
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.tcp_client import open_tcp_client_transport

from conftest import Launch
from support.program import PATIENCE, command, executable

PSM_CHARACTERISTIC = "ABDD3056-28FA-441D-A470-55A75A52553A"


@asynccontextmanager
async def proxied(
    launch: Launch, profile: str, *arguments: str | Path
) -> AsyncIterator[tuple[str, str, asyncio.subprocess.Process]]:
    """An accessory with a proxy: the place for a client, the proxy's address, and the proxy."""
    radio = await launch("radio", "--json")
    # Each connection gets a controller of its own.
    place = (await radio.ready())["joining"][0]
    accessory = await launch("run", profile, "--controller", place, "--json")
    name = (await accessory.ready())["name"]
    proxy = await asyncio.create_subprocess_exec(
        executable(), "proxy", name, "--accessory", place, "--controller", place, "--listen", "1s", *arguments,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert proxy.stdout
    try:
        line = (await asyncio.wait_for(proxy.stdout.readline(), PATIENCE)).decode()
        found = re.search(r"can be used at (\S+)\.", line)
        assert found, line
        yield place, found[1], proxy
    finally:
        if proxy.returncode is None:
            proxy.kill()
            await proxy.wait()


@asynccontextmanager
async def client(place: str, address: str, passkey: int | None = None) -> AsyncIterator[Peer]:
    """Bumble's central, connected to the device with that address."""
    transport = await open_tcp_client_transport(place.removeprefix("tcp-client:"))
    device = Device("Client", address=hci.Address("F0:00:00:00:00:0C"), host=Host(transport.source, transport.sink))

    class Delegate(PairingDelegate):
        async def get_number(self) -> int | None:
            return passkey

    capability = (
        PairingDelegate.IoCapability.KEYBOARD_INPUT_ONLY
        if passkey is not None
        else PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT
    )
    device.pairing_config_factory = lambda _: PairingConfig(
        sc=True, mitm=passkey is not None, bonding=True, delegate=Delegate(capability)
    )
    await asyncio.wait_for(device.power_on(), PATIENCE)
    connection = await asyncio.wait_for(device.connect(hci.Address(address)), PATIENCE)
    peer = Peer(connection)
    await peer.request_mtu(517)
    yield peer
    if device.find_connection_by_bd_addr(connection.peer_address):
        await connection.disconnect()
    await transport.close()


async def database(peer: Peer) -> list[tuple[int, str, int]]:
    """All characteristics of a server: handle, UUID, properties."""
    await peer.discover_all()
    return [
        (characteristic.handle, characteristic.uuid.to_hex_str(), int(characteristic.properties))
        for service in peer.services
        for characteristic in service.characteristics
    ]


@pytest.mark.timeout(180)
async def test_what_passes_is_learnt(launch: Launch, tmp_path: Path) -> None:
    profile, scenario = tmp_path / "belt.yaml", tmp_path / "belt.scenario.yaml"
    async with proxied(launch, "heart-rate", "--output", profile, "--scenario", scenario) as (place, address, proxy):
        async with client(place, address) as peer:
            seen = await database(peer)
            [rate] = peer.get_characteristics_by_uuid("2A37")
            values: asyncio.Queue[bytes] = asyncio.Queue()
            await peer.subscribe(rate, values.put_nowait)
            for _ in range(3):
                assert await asyncio.wait_for(values.get(), PATIENCE)
            [control] = peer.get_characteristics_by_uuid("2A39")
            await peer.write_value(control, b"\x01", with_response=True)
            for _ in range(2):
                with pytest.raises(Exception):
                    await peer.write_value(control, b"\x09", with_response=True)
        # While a client is connected: both links end with the proxy.
        async with client(place, address) as peer:
            ended = asyncio.Event()
            peer.connection.on("disconnection", lambda _: ended.set())
            proxy.terminate()
            await asyncio.wait_for(ended.wait(), 2)
        assert proxy.stdout
        summary = (await proxy.stdout.read()).decode()
        assert await proxy.wait() == 0
    # The time from the octets of one controller to the octets for the other.
    found = re.search(r"half of them took at most (\S+) (\S+), 99 of 100 at most (\S+) (\S+)", summary)
    assert found and found[2] in ("us", "µs", "ms"), summary
    print(found[0])
    assert (await command("check", profile))[0] == 0
    assert (await command("test", scenario, "--keep", tmp_path / "kept"))[0] == 0
    copy = await launch("run", profile, "--json")
    ready = await copy.ready()
    async with client(ready["joining"][0], ready["address"]) as peer:
        assert await database(peer) == seen
        [control] = peer.get_characteristics_by_uuid("2A39")
        await peer.write_value(control, b"\x01", with_response=True)
        with pytest.raises(Exception):
            await peer.write_value(control, b"\x09", with_response=True)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("passkey", [None, 123456])
async def test_pairing_passes(launch: Launch, tmp_path: Path, passkey: int | None) -> None:
    profile = tmp_path / "lock.yaml"
    needed, security = ("encrypted", "pairing: just-works") if passkey is None else (
        "authenticated", f"pairing: display, passkey: {passkey}, mitm: required"
    )  # fmt: skip
    profile.write_text(
        f"""understudy: 1
name: Lock
security: {{ {security} }}
services:
  - id: lock
    uuid: A0000020-7C4D-4B0E-9E4B-1F6E2A1B9C00
    characteristics:
      - id: state
        uuid: A0000021-7C4D-4B0E-9E4B-1F6E2A1B9C00
        properties: [read]
        permissions: {{ read: {needed} }}
        value: hex:2A
"""
    )
    arguments = [] if passkey is None else ["--passkey", str(passkey)]
    async with proxied(launch, str(profile), *arguments) as (place, address, _):
        async with client(place, address, passkey) as peer:
            await peer.discover_all()
            [state] = peer.get_characteristics_by_uuid("A0000021-7C4D-4B0E-9E4B-1F6E2A1B9C00")
            with pytest.raises(Exception):
                await peer.read_value(state)
            await asyncio.wait_for(peer.connection.pair(), PATIENCE)
            assert await asyncio.wait_for(peer.read_value(state), PATIENCE) == b"\x2a"


@pytest.mark.timeout(180)
async def test_a_megabyte_over_a_channel(launch: Launch) -> None:
    async with proxied(launch, "l2cap") as (place, address, _), client(place, address) as peer:
        await peer.discover_all()
        psms = [await peer.read_value(each) for each in peer.get_characteristics_by_uuid(PSM_CHARACTERISTIC)]
        # The third channel of the profile sends 1 MiB of counted octets, and closes.
        channel = await peer.connection.create_l2cap_channel(
            l2cap.LeCreditBasedChannelSpec(psm=int.from_bytes(psms[2], "little"))
        )
        received = bytearray()
        closed = asyncio.Event()
        channel.sink = received.extend
        channel.on("close", closed.set)
        await asyncio.wait_for(closed.wait(), 120)
        assert len(received) == 1 << 20
        expected = bytes(range(256)) * (1 << 12)
        assert hashlib.sha256(received).digest() == hashlib.sha256(expected).digest()


async def test_a_controller_that_is_not_there() -> None:
    code, _, errors = await command(
        "proxy", "Belt", "--accessory", "tcp-client:127.0.0.1:1", "--controller", "tcp-client:127.0.0.1:1"
    )
    assert code == 69 and "127.0.0.1:1" in errors
