"""A Pandora server over BR/EDR: the reference device connects, pairs and inquires, and the accessory returns."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import AsyncExitStack
from typing import Any

import grpc
import grpc.aio
import pytest
from bumble import hci
from bumble.core import PhysicalTransport
from bumble.device import Connection as BumbleConnection
from bumble.hci import Address
from pandora.host_pb2 import CONNECTABLE, DISCOVERABLE_LIMITED, NOT_CONNECTABLE, NOT_DISCOVERABLE, Connection
from pandora.security_pb2 import LEVEL1, LEVEL2, LEVEL3, LEVEL4, PairingEventAnswer
from reference import IO, PATIENCE, Dut, Reference
from reference import classic as classic

from understudy.pandora import Pandora
from understudy.pandora._classic import ClassicLink
from understudy.pandora._radio import Radio

STRANGER = bytes.fromhex("001122334455")


def address(reference: Reference) -> bytes:
    """Returns the address of the device under test."""
    return bytes(reference.dut.device.public_address)[::-1]


async def connected(reference: Reference) -> tuple[Connection, BumbleConnection]:
    """Connects to the device under test; returns the connection of the reference device and its own."""
    there: asyncio.Future[BumbleConnection] = asyncio.get_running_loop().create_future()
    reference.dut.device.once("connection", there.set_result)
    here = (await asyncio.wait_for(reference.host.Connect(address=address(reference)), PATIENCE)).connection
    assert here
    return here, await there


async def disconnected(reference: Reference, here: Connection) -> None:
    await reference.host.Disconnect(connection=here)
    await reference.host.WaitDisconnection(connection=here)
    async with asyncio.timeout(PATIENCE):
        while reference.dut.device.connections:
            await asyncio.sleep(0.01)


def link(reference: Reference, here: Connection) -> ClassicLink:
    found = reference.pandora.device.link(here.cookie.value)
    assert isinstance(found, ClassicLink)
    return found


# Connections


async def test_connection(classic: Reference) -> None:
    """The reference device has one address, whichever side connects; the accessory is away while it connects."""
    own = (await classic.host.ReadLocalAddress()).address
    here, there = await connected(classic)
    assert bytes(there.peer_address)[::-1] == own
    assert (await classic.host.WaitConnection(address=address(classic))).connection == here
    assert (await classic.host.Connect(address=address(classic))).result_variant() == "connection_already_exists"
    for call in (
        anext(aiter(classic.host.Advertise(legacy=True))),
        classic.host.Connect(address=STRANGER),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await call
        assert error.value.code() == grpc.StatusCode.ABORTED
    assert not (await classic.storage.IsBonded(public=address(classic))).value
    await disconnected(classic, here)
    # A call that needs the accessory brings it back.
    waited = asyncio.ensure_future(classic.host.WaitConnection(address=address(classic)))
    await classic.dut.device.connect(Address(own[::-1], Address.PUBLIC_DEVICE_ADDRESS), PhysicalTransport.BR_EDR)
    arrived = (await asyncio.wait_for(waited, PATIENCE)).connection
    assert arrived and arrived != here
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await classic.host.Connect(address=STRANGER)
    assert error.value.code() == grpc.StatusCode.ABORTED
    await disconnected(classic, arrived)
    await classic.at_rest()


async def test_waits_until_the_accessory_is_back(classic: Reference) -> None:
    """A wait for a connection that begins while the reference device is connected."""
    own = (await classic.host.ReadLocalAddress()).address
    here, there = await connected(classic)
    await classic.host.WaitConnection(address=address(classic))
    waited = asyncio.ensure_future(classic.host.WaitConnection(address=address(classic)))
    await classic.busy()
    await there.disconnect()
    await classic.host.WaitDisconnection(connection=here)
    await classic.dut.device.connect(Address(own[::-1], Address.PUBLIC_DEVICE_ADDRESS), PhysicalTransport.BR_EDR)
    assert (await asyncio.wait_for(waited, PATIENCE)).connection


async def test_nobody_answers(classic: Reference) -> None:
    """Nor is anything left of a call that was cancelled."""
    assert (await classic.host.Connect(address=STRANGER)).result_variant() == "peer_not_found"
    dropped = classic.host.Connect(address=address(classic))
    await asyncio.sleep(0.02)
    dropped.cancel()
    here, _ = await connected(classic)
    await disconnected(classic, here)
    await classic.at_rest()


async def test_reset(classic: Reference) -> None:
    """A reset ends the connection, the waits and the program of the central."""
    here, there = await connected(classic)
    ended = asyncio.Event()
    there.on("disconnection", lambda _: ended.set())
    waited = asyncio.ensure_future(classic.security.WaitSecurity(connection=here, classic=LEVEL4))
    await classic.busy()
    await classic.host.Reset()
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await waited
    assert error.value.code() == grpc.StatusCode.CANCELLED
    await asyncio.wait_for(ended.wait(), PATIENCE)
    assert classic.pandora.device.links == {}
    await classic.at_rest()


async def test_lost_program(classic: Reference) -> None:
    """The connections of a program end with it; the next call starts another one."""
    here, _ = await connected(classic)
    waited = asyncio.ensure_future(classic.host.WaitDisconnection(connection=here))
    await classic.busy()
    await link(classic, here).run.program.kill()
    await asyncio.wait_for(waited, PATIENCE)
    assert (await classic.host.Connect(address=STRANGER)).result_variant() == "peer_not_found"


async def test_unusable_controller(classic: Reference) -> None:
    """The radio ends."""
    assert classic.pandora._radio
    await classic.pandora._radio.stop()
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await classic.host.Connect(address=STRANGER)
    assert error.value.code() == grpc.StatusCode.UNAVAILABLE
    assert error.value.details()


async def test_only_controller() -> None:
    """The accessory and the central take turns at a controller that was given."""
    radio = await Radio.start(classic=True)
    try:
        async with (
            await Pandora.start("battery", controller=radio.controller, classic=True) as pandora,
            grpc.aio.insecure_channel(f"127.0.0.1:{pandora.port}") as channel,
            AsyncExitStack() as stack,
        ):
            dut = await Dut.open(radio.joining[1], stack, classic=True)
            await dut.device.set_connectable(True)
            reference = Reference(pandora, channel, dut)
            here, there = await connected(reference)
            assert bytes(there.peer_address)[::-1] == pandora.device.address
            await disconnected(reference, here)
            await reference.at_rest()
    finally:
        await radio.stop()


# Pairing


@pytest.mark.parametrize(
    ("capability", "level", "answer", "kind", "result"),
    [
        (IO.NO_OUTPUT_NO_INPUT, LEVEL2, True, "just_works", "success"),
        (IO.NO_OUTPUT_NO_INPUT, LEVEL3, True, "just_works", "not_reached"),
        (IO.NO_OUTPUT_NO_INPUT, LEVEL2, False, "just_works", "pairing_failure"),
        (IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT, LEVEL4, True, "numeric_comparison", "success"),
        (IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT, LEVEL2, False, "numeric_comparison", "pairing_failure"),
        (IO.KEYBOARD_INPUT_ONLY, LEVEL3, None, "passkey_entry_notification", "success"),
    ],
)
async def test_pairing(
    classic: Reference, capability: IO, level: Any, answer: bool | None, kind: str, result: str
) -> None:
    classic.dut.capability(capability)
    events: Any = classic.security.OnPairing()
    first = asyncio.ensure_future(anext(events))
    await classic.busy()
    here, _ = await connected(classic)
    secure = asyncio.ensure_future(classic.security.Secure(connection=here, classic=level))
    event = await asyncio.wait_for(first, PATIENCE)
    assert (event.method_variant(), event.connection) == (kind, here)
    if answer is None:
        classic.dut.passkeys.put_nowait(event.passkey_entry_notification)
    else:
        events.send_nowait(PairingEventAnswer(event=event, confirm=answer))
    assert (await asyncio.wait_for(secure, PATIENCE)).result_variant() == result
    assert (await classic.storage.IsBonded(public=address(classic))).value == (result != "pairing_failure")
    events.cancel()
    await disconnected(classic, here)
    await classic.at_rest()


async def test_passkey(classic: Reference) -> None:
    """The passkey is typed at a reference device that has only a keyboard."""
    classic.pandora.device.security = {**classic.pandora.device.security, "pairing": "keyboard"}
    classic.dut.capability(IO.DISPLAY_OUTPUT_ONLY)
    events: Any = classic.security.OnPairing()
    first = asyncio.ensure_future(anext(events))
    await classic.busy()
    here, _ = await connected(classic)
    secure = asyncio.ensure_future(classic.security.Secure(connection=here, classic=LEVEL3))
    event = await asyncio.wait_for(first, PATIENCE)
    assert event.method_variant() == "passkey_entry_request"
    passkey = await asyncio.wait_for(classic.dut.passkeys.get(), PATIENCE)
    events.send_nowait(PairingEventAnswer(event=event, passkey=passkey))
    assert (await asyncio.wait_for(secure, PATIENCE)).result_variant() == "success"


async def test_bond(classic: Reference) -> None:
    """Without a stream of events, Just Works succeeds; the next connection is encrypted with its key."""
    classic.dut.capability(IO.NO_OUTPUT_NO_INPUT)
    here, there = await connected(classic)
    waited = asyncio.ensure_future(classic.security.WaitSecurity(connection=here, classic=LEVEL1))
    await classic.busy()
    # The device under test starts pairing.
    await there.authenticate()
    await there.encrypt()
    assert (await asyncio.wait_for(waited, PATIENCE)).result_variant() == "success"
    await disconnected(classic, here)
    here, _ = await connected(classic)
    assert (await classic.security.Secure(connection=here, classic=LEVEL2)).result_variant() == "success"
    assert link(classic, here).paired == 0
    waited = asyncio.ensure_future(classic.security.WaitSecurity(connection=here, classic=LEVEL4))
    await classic.busy()
    await disconnected(classic, here)
    assert (await waited).result_variant() == "connection_died"
    assert (await classic.storage.IsBonded(public=address(classic))).value
    await classic.storage.DeleteBond(public=address(classic))
    assert not (await classic.storage.IsBonded(public=address(classic))).value


async def test_refuses_without_a_client(classic: Reference) -> None:
    """Without a stream of events, nobody can compare."""
    classic.dut.capability(IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
    here, _ = await connected(classic)
    secured = await asyncio.wait_for(classic.security.Secure(connection=here, classic=LEVEL2), PATIENCE)
    assert secured.result_variant() == "pairing_failure"


# Inquiries


async def test_inquiry(classic: Reference) -> None:
    """It goes on until it is cancelled. A connection can be made meanwhile."""
    await classic.dut.device.send_command(hci.HCI_Write_Class_Of_Device_Command(class_of_device=0x24_0404))
    inquiry: Any = classic.host.Inquiry()
    found = await asyncio.wait_for(anext(aiter(inquiry)), PATIENCE)
    assert found.address == address(classic)
    assert found.data.complete_local_name == "Central"
    assert found.class_of_device == 0x24_0404
    other: Any = classic.host.Inquiry()
    assert (await asyncio.wait_for(anext(aiter(other)), PATIENCE)).address == found.address
    other.cancel()
    here, _ = await connected(classic)
    inquiry.cancel()
    await disconnected(classic, here)
    await classic.at_rest()


async def test_modes(classic: Reference) -> None:
    """They change at once, and the next run has them, too."""
    accessory = await classic.accessory()
    await classic.host.SetDiscoverabilityMode(mode=NOT_DISCOVERABLE)
    await accessory.expect("br-edr", discoverable=False, connectable=True)
    await classic.host.SetConnectabilityMode(mode=NOT_CONNECTABLE)
    await accessory.expect("br-edr", discoverable=False, connectable=False)
    await classic.pandora.device._end_run()
    again = await classic.accessory()
    assert again is not accessory
    await classic.host.SetDiscoverabilityMode(mode=DISCOVERABLE_LIMITED)
    await again.expect("br-edr", discoverable=True, connectable=False)
    await classic.host.SetConnectabilityMode(mode=CONNECTABLE)
    await again.expect("br-edr", discoverable=True, connectable=True)


async def test_inquiry_finds_nobody(classic: Reference) -> None:
    await classic.dut.device.set_discoverable(False)
    inquiry: Any = classic.host.Inquiry()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(2):
            assert not await anext(aiter(inquiry))
    inquiry.cancel()
    await classic.at_rest()


async def test_inquiry_ends_with_its_program(classic: Reference) -> None:
    inquiry: Any = classic.host.Inquiry()
    await asyncio.wait_for(anext(aiter(inquiry)), PATIENCE)
    run = classic.pandora.device._borrower
    assert run
    await run.give_back()
    with pytest.raises(grpc.aio.AioRpcError) as error:
        async with asyncio.timeout(PATIENCE):
            async for _ in inquiry:
                pass
    assert error.value.code() == grpc.StatusCode.UNAVAILABLE
