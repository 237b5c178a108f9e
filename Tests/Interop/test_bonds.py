"""Bonds between the accessory and Bumble: stored data, bonds that one side has lost, and private addresses."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from bumble import att, hci
from bumble.device import Device, DeviceConfiguration

from conftest import Stage
from support.attributes import handles_by_id
from support.central import Central
from support.controllers import LOOPBACK
from support.pairing import PATIENCE, Capability, Pairing, User, encrypt
from support.program import PROFILES, describe
from support.web import Client

PROFILE = PROFILES / "pairing.yaml"
# Core 5.4 Vol 1 Part F 1.3.
PIN_OR_KEY_MISSING = 0x06

Begin = Callable[..., Awaitable[Pairing]]


@pytest.fixture
async def pairing(virtual: Stage) -> Pairing:
    program = await virtual.run(PROFILE, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    pairing = Pairing(program, client, await virtual.central(), virtual.address)
    await pairing.policy(pairing="just-works")
    return pairing


@pytest.fixture
async def handles() -> dict[str, int]:
    return handles_by_id(await describe(PROFILE))


def user_of(pairing: Pairing, *, secure: bool = True) -> User:
    user = User(Capability.NO_OUTPUT_NO_INPUT)
    pairing.configure(user, secure=secure)
    return user


async def refused_read(session: object, handle: int) -> int:
    return await session.error(att.ATT_Read_Request(attribute_handle=handle))


@pytest.mark.parametrize("secure", [True, False], ids=["secure-connections", "legacy"])
async def test_bond_encrypts_again(pairing: Pairing, handles: dict[str, int], secure: bool) -> None:
    """Until the link is encrypted, access is refused, and subscriptions wait (Core 5.4 Vol 3 Part C 10.3.1, Part G 3.3.3.3)."""
    user = user_of(pairing, secure=secure)
    async with pairing.connected() as session:
        await pairing.pair(session, user)
        await session.subscribe(handles["encrypted"])
    async with pairing.connected() as session:
        assert await pairing.security() == {"protection": "none", "key_size": 0, "bonded": True}
        assert await refused_read(session, handles["encrypted"]) == 0x0F
        await encrypt(session.connection)
        assert await pairing.security() == {"protection": "encrypted", "key_size": 16, "bonded": True}
        # The subscription is from the previous connection.
        await pairing.client.put("/v1/characteristics/encrypted/value", {"hex": "aa"})
        ((_, value),) = await session.arrivals(1, handles["encrypted"])
        assert value.attribute_value == b"\xaa"
    assert len(pairing.program.named("paired")) == 1


async def test_without_bonding_nothing_is_kept(pairing: Pairing, handles: dict[str, int]) -> None:
    await pairing.policy(pairing="just-works", bonding=False)
    user = user_of(pairing)
    async with pairing.connected() as session:
        await pairing.pair(session, user)
        assert await session.read(handles["encrypted"]) == b"\x02"
    assert (await pairing.program.event("paired"))["bonded"] is False
    async with pairing.connected() as session:
        assert await refused_read(session, handles["encrypted"]) == 0x05
        with pytest.raises(hci.HCI_Error) as failure:
            await encrypt(session.connection)
        assert failure.value.error_code == PIN_OR_KEY_MISSING


async def test_central_has_lost_its_keys(pairing: Pairing, handles: dict[str, int]) -> None:
    """It pairs again, and the new keys replace the old ones."""
    user = user_of(pairing)
    async with pairing.connected() as session:
        await pairing.pair(session, user)
    assert pairing.device.keystore
    await pairing.device.keystore.delete_all()
    async with pairing.connected() as session:
        assert await refused_read(session, handles["encrypted"]) == 0x0F
        await pairing.pair(session, user_of(pairing))
        assert await session.read(handles["encrypted"]) == b"\x02"
    async with pairing.connected() as session:
        await encrypt(session.connection)
    assert len(pairing.program.named("paired")) == 2


async def test_weaker_keys_do_not_replace_better_ones(pairing: Pairing) -> None:
    user = user_of(pairing)
    async with pairing.connected() as session:
        await pairing.pair(session, user)
    weaker = User(Capability.NO_OUTPUT_NO_INPUT)
    pairing.configure(weaker, secure=False)
    async with pairing.connected() as session:
        assert (await pairing.failure(session, weaker))[0] == 0x03
    await pairing.policy(pairing="just-works", weaker_keys=True)
    weaker = User(Capability.NO_OUTPUT_NO_INPUT)
    pairing.configure(weaker, secure=False)
    async with pairing.connected() as session:
        await pairing.pair(session, weaker)


async def test_accessory_keeps_a_wrong_key(pairing: Pairing) -> None:
    """The fault wrong-key: pairing succeeds, and the next connection ends when it is encrypted (0x3D, MIC failure)."""
    await pairing.policy(pairing="just-works", faults=["wrong-key"])
    user = user_of(pairing)
    async with pairing.connected() as session:
        await pairing.pair(session, user)
    session = await pairing.connect()
    encrypting = asyncio.ensure_future(encrypt(session.connection))
    assert await asyncio.wait_for(session.disconnected, PATIENCE) == 0x3D
    encrypting.cancel()
    await asyncio.gather(encrypting, return_exceptions=True)


# Private addresses


async def test_central_with_a_private_address(pairing: Pairing, handles: dict[str, int], virtual: Stage) -> None:
    """A central with a changing address is recognized by its Identity Resolving Key (Core 5.4 Vol 3 Part H 2.2.2)."""
    configuration = DeviceConfiguration(
        name="Private",
        address=hci.Address("F0:00:00:00:01:01"),
        irk=secrets.token_bytes(16),
        le_privacy_enabled=True,
    )
    device = Device(config=configuration, host=await virtual.path.host())
    await asyncio.wait_for(device.power_on(), 30)
    pairing.central = Central(device)
    user = user_of(pairing)
    async with pairing.connected() as session:
        await pairing.pair(session, user)
    paired = await pairing.program.event("paired")
    assert (paired["peer"], paired["peer_type"]) == ("F0:00:00:00:01:01", "random")
    device.random_address = hci.Address.generate_private_address(device.irk)
    await device.send_command(hci.HCI_LE_Set_Random_Address_Command(random_address=device.random_address))
    async with pairing.connected() as session:
        assert (await pairing.security())["bonded"]
        assert await refused_read(session, handles["encrypted"]) == 0x0F
        await encrypt(session.connection)
        assert await session.read(handles["encrypted"]) == b"\x02"
    await pairing.program.count("connected", 2)
    assert len({event["peer"] for event in pairing.program.named("connected")}) == 2


async def test_bond_survives_kill_9(virtual: Stage, handles: dict[str, int], tmp_path: Path) -> None:
    """The bond and the subscription exist in the next run, whose central has the same keys and address."""

    async def run() -> Pairing:
        program = await virtual.run(PROFILE, "--http", f"{LOOPBACK}:0", "--state", tmp_path / "state")
        client = Client(LOOPBACK, (await program.event("http"))["port"])
        return Pairing(program, client, await virtual.central(), virtual.address)

    first = await run()
    user = user_of(first)
    async with first.connected() as session:
        await first.pair(session, user)
        await session.subscribe(handles["encrypted"])
    stored = next((tmp_path / "state").glob("*/bonds/*.json"))
    while '"encrypted"' not in stored.read_text():
        await asyncio.sleep(0.01)
    await first.program.kill()

    virtual.centrals.clear()
    second = await run()
    assert (await second.program.event("restored"))["bonds"] == 1
    second.device.keystore = first.device.keystore
    async with second.connected() as session:
        await encrypt(session.connection)
        assert await second.security() == {"protection": "encrypted", "key_size": 16, "bonded": True}
        await second.client.put("/v1/characteristics/encrypted/value", {"hex": "aa"})
        ((_, value),) = await session.arrivals(1, handles["encrypted"])
        assert value.attribute_value == b"\xaa"


async def test_accessory_has_lost_its_keys(pairing: Pairing, handles: dict[str, int]) -> None:
    """Only its side of the bond is removed over HTTP: encryption fails with 0x06 until both pair again."""
    user = user_of(pairing)
    async with pairing.connected() as session:
        await pairing.pair(session, user)
    (bond,) = (await pairing.client.get("/v1/bonds")).json["bonds"]
    assert (await pairing.client.delete(f"/v1/bonds/{bond['id']}")).status == 200
    async with pairing.connected() as session:
        with pytest.raises(hci.HCI_Error) as failure:
            await encrypt(session.connection)
        assert failure.value.error_code == PIN_OR_KEY_MISSING
    async with pairing.connected() as session:
        assert await refused_read(session, handles["encrypted"]) == 0x05
        await pairing.pair(session, user_of(pairing))
        assert await session.read(handles["encrypted"]) == b"\x02"
