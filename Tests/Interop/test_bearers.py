"""Enhanced ATT bearers, signed writes and private addresses, with Bumble as the central."""

from __future__ import annotations

import asyncio

import pytest
from bumble import att, crypto, gatt_client, hci, l2cap
from bumble.pairing import PairingDelegate

from conftest import Stage
from support.attributes import handles_by_id
from support.controllers import LOOPBACK
from support.pairing import PATIENCE, Capability, Pairing, User
from support.program import PROFILES, describe
from support.web import Client

PROFILE = PROFILES / "bearers.yaml"
BEARERS = 3
READS = 100
# Bumble gives every peer the same Connection Signature Resolving Key.
BUMBLE_SIGNING_KEY = bytes(16)

Distribution = PairingDelegate.KeyDistribution


async def begin(stage: Stage, profile: str | None = None) -> Pairing:
    program = await stage.run(profile or PROFILE, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    return Pairing(program, client, await stage.central(), stage.address)


def user_of(pairing: Pairing, *, keys: Distribution | None = None) -> User:
    arguments = {} if keys is None else {
        "local_initiator_key_distribution": keys, "local_responder_key_distribution": keys
    }
    user = User(Capability.NO_OUTPUT_NO_INPUT, **arguments)
    pairing.configure(user)
    return user


async def test_three_bearers_under_load(virtual: Stage) -> None:
    """Requests on all of them at once, with notifications in between (Core 5.4 Vol 3 Part F 3.2.11, Part G 5.3)."""
    pairing = await begin(virtual)
    handles = handles_by_id(await describe(PROFILE))
    async with pairing.connected() as session:
        with pytest.raises(l2cap.L2capError):
            await gatt_client.Client.connect_eatt(session.connection, count=BEARERS)
        await pairing.pair(session, user_of(pairing))
        clients = await asyncio.wait_for(
            gatt_client.Client.connect_eatt(session.connection, count=BEARERS), PATIENCE
        )
        ticks: list[int] = []

        def noting(handler):
            def receive(pdu: att.ATT_Handle_Value_Notification) -> None:
                if pdu.attribute_handle == handles["ticks"]:
                    ticks.append(int.from_bytes(pdu.attribute_value, "little"))
                else:
                    handler(pdu)

            return receive

        for client in [*clients, session.peer.gatt_client]:
            client.on_att_handle_value_notification = noting(client.on_att_handle_value_notification)
        await session.subscribe(handles["ticks"])

        async def load(client: gatt_client.Client, id: str, value: bytes) -> None:
            for _ in range(READS):
                assert await client.read_value(handles[id]) == value

        values = [("first", b"\x01"), ("second", b"\x02"), ("third", b"\x03")]
        loads = [load(client, *value) for client, value in zip(clients, values, strict=True)]
        await asyncio.wait_for(asyncio.gather(*loads), 60)
        # A characteristic's values keep their order on any bearers.
        assert len(ticks) > 10
        assert ticks == list(range(ticks[0], ticks[0] + len(ticks)))
    assert not pairing.program.named("fault")


def signed_write(handle: int, value: bytes, counter: int, key: bytes = BUMBLE_SIGNING_KEY) -> bytes:
    """Core 5.4 Vol 3 Part F 3.4.5.4, Part H 2.4.5"""
    message = bytes([0xD2]) + handle.to_bytes(2, "little") + value + counter.to_bytes(4, "little")
    return message + crypto.aes_cmac(message[::-1], key)[:8][::-1]


async def test_signed_writes(virtual: Stage) -> None:
    """A write signed with the peer's key is accepted once, on an unencrypted link; all other writes are not."""
    pairing = await begin(virtual)
    handle = handles_by_id(await describe(PROFILE))["signed"]
    keys = Distribution.DISTRIBUTE_ENCRYPTION_KEY | Distribution.DISTRIBUTE_IDENTITY_KEY | Distribution.DISTRIBUTE_SIGNING_KEY
    async with pairing.connected() as session:
        await pairing.pair(session, user_of(pairing, keys=keys))

    async with pairing.connected() as session:

        async def after(octets: bytes) -> bytes:
            session.connection.send_l2cap_pdu(att.ATT_CID, octets)
            return await session.read(handle)

        assert await after(signed_write(handle, b"\x11", 0)) == b"\x11"
        assert await after(signed_write(handle, b"\x22", 0)) == b"\x11"  # replayed
        assert await after(signed_write(handle, b"\x33", 1, key=bytes(15) + b"\x01")) == b"\x11"
        assert await after(signed_write(handle, b"\x44", 5)) == b"\x44"
        # It cannot be written in another way.
        assert await session.error(att.ATT_Write_Request(attribute_handle=handle, attribute_value=b"\x55")) == 0x03
    async with pairing.connected() as session:
        session.connection.send_l2cap_pdu(att.ATT_CID, signed_write(handle, b"\x66", 5))
        assert await session.read(handle) == b"\x44"


async def test_address_rotates(virtual: Stage, tmp_path) -> None:
    """A bonded central resolves every address of an accessory that changes its address each second."""
    text = PROFILE.read_text().replace("address: static", "address: private, rotation: 1 s")
    profile = tmp_path / "private.yaml"
    profile.write_text(text)
    pairing = await begin(virtual, profile)
    addresses: list[hci.Address] = []
    enough = asyncio.Event()

    def on_advertisement(advertisement) -> None:
        address = advertisement.address
        if address.is_resolvable and address not in addresses:
            addresses.append(address)
            if len(addresses) == 3:
                enough.set()

    device = pairing.device
    device.on("advertisement", on_advertisement)
    await device.start_scanning(filter_duplicates=False)
    await asyncio.wait_for(enough.wait(), PATIENCE)
    await device.stop_scanning()
    pairing.address = addresses[-1]
    async with pairing.connected() as session:
        await pairing.pair(session, user_of(pairing))
        assert session.connection.is_encrypted
    ((identity, keys),) = await device.keystore.get_all()
    assert keys.irk is not None
    for address in addresses:
        prand, hashed = bytes(address)[3:6], bytes(address)[0:3]
        assert crypto.ah(keys.irk.value, prand) == hashed, f"{address} is not one of {identity}"
