"""An accessory as a Pandora server: each call, and calls that fail, are invalid or are cancelled."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import grpc.aio
import pytest
from bumble.l2cap import LeCreditBasedChannelSpec
from google.protobuf.any_pb2 import Any as Cookie
from pandora import host_pb2, l2cap_pb2, security_pb2
from pandora.host_grpc_aio import Host
from pandora.host_pb2 import (
    PRIMARY_CODED,
    PUBLIC,
    RANDOM,
    RESOLVABLE_OR_PUBLIC,
    AdvertiseRequest,
    Connection,
    DataTypes,
)
from pandora.l2cap_pb2 import CreditBasedChannelRequest
from pandora.security_pb2 import LE_LEVEL1, LE_LEVEL2, LE_LEVEL3, LE_LEVEL4, LEVEL2, PairingEventAnswer
from reference import DUT, IO, PATIENCE, Reference
from reference import reference as reference

from understudy import aio
from understudy.errors import UnderstudyError
from understudy.pandora import Pandora
from understudy.pandora._calls import Invalid
from understudy.pandora._command import main
from understudy.pandora._data import octets_of_data
from understudy.pandora._request import settings_of

INVALID, UNIMPLEMENTED, ABORTED = (
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.ABORTED,
)
# The central reports these as they were advertised.
ADVERTISED = DataTypes(
    complete_service_class_uuids16=["180D"],
    service_data_uuid16={"183A": b"\x01"},
    complete_local_name="Heat",
    tx_power_level=3,
    appearance=0x0341,
    peripheral_connection_interval_min=6,
    peripheral_connection_interval_max=9,
    le_discoverability_mode=host_pb2.DISCOVERABLE_GENERAL,
)
UUID = "FFFF181F-0102-1000-8000-00805F9B34FB"
UUID_OCTETS = "FB349B5F80000080001002011F18FFFF"
OCTETS = bytes.fromhex(DUT.replace(":", ""))
STRANGER = Connection(cookie=Cookie(value=b"\x00\x00\x27\x0f"))
MISSHAPEN = Connection(cookie=Cookie(value=b"no cookie of ours"))

# Advertising data


@pytest.mark.parametrize(
    ("data", "octets"),
    [
        (DataTypes(), ""),
        (DataTypes(incomplete_service_class_uuids16=["183A", "181F"]), "05023A181F18"),
        (DataTypes(complete_service_class_uuids16=["183A"]), "03033A18"),
        (DataTypes(incomplete_service_class_uuids32=["FFFF183A"]), "05043A18FFFF"),
        (DataTypes(complete_service_class_uuids32=["FFFF183A"]), "05053A18FFFF"),
        (DataTypes(incomplete_service_class_uuids128=[UUID]), "1106" + UUID_OCTETS),
        (DataTypes(complete_service_class_uuids128=[UUID]), "1107" + UUID_OCTETS),
        (DataTypes(shortened_local_name="Heat"), "050848656174"),
        (DataTypes(include_shortened_local_name=True), "09084865617274207261"),
        (DataTypes(complete_local_name="Heat"), "050948656174"),
        (DataTypes(include_complete_local_name=True), "0B0948656172742072617465"),
        (DataTypes(tx_power_level=0xEC), "020AEC"),
        (DataTypes(include_tx_power_level=True), "020A00"),
        (DataTypes(class_of_device=0x040680), "040D800604"),
        (DataTypes(peripheral_connection_interval_min=6, peripheral_connection_interval_max=0xC80), "05120600800C"),
        (DataTypes(peripheral_connection_interval_min=6), "051206000600"),
        (DataTypes(service_solicitation_uuids16=["183A"]), "03143A18"),
        (DataTypes(service_solicitation_uuids32=["FFFF183A"]), "051F3A18FFFF"),
        (DataTypes(service_solicitation_uuids128=[UUID]), "1115" + UUID_OCTETS),
        (DataTypes(service_data_uuid16={"183A": b"\x01\x02"}), "05163A180102"),
        (DataTypes(service_data_uuid32={"FFFF183A": b"\x01"}), "06203A18FFFF01"),
        (DataTypes(service_data_uuid128={UUID: b"\x01"}), "1221" + UUID_OCTETS + "01"),
        (DataTypes(public_target_addresses=[bytes.fromhex("00005E005302")]), "0717025300" + "5E0000"),
        (DataTypes(random_target_addresses=[bytes.fromhex("C00000000001")]), "0718010000" + "0000C0"),
        (DataTypes(appearance=0x0341), "03194103"),
        (DataTypes(advertising_interval=0x1000), "031A0010"),
        (DataTypes(include_advertising_interval=True), "031AA000"),
        (DataTypes(uri="\x16//a.b"), "0724162F2F612E62"),
        (DataTypes(le_supported_features=b"\x01"), "022701"),
        (DataTypes(manufacturer_specific_data=b"\xff\xff\x07"), "04FFFFFF07"),
        (DataTypes(le_discoverability_mode=host_pb2.DISCOVERABLE_LIMITED), "020105"),
        (DataTypes(le_discoverability_mode=host_pb2.DISCOVERABLE_GENERAL), "020106"),
    ],
)
def test_data(data: DataTypes, octets: str) -> None:
    """Core Specification Supplement Part A 1; least significant octet first, also in UUIDs and addresses."""
    assert octets_of_data(data, "Heart rate", 100.0).hex().upper() == octets


@pytest.mark.parametrize(
    "data",
    [
        DataTypes(complete_service_class_uuids16=["18"]),
        DataTypes(complete_service_class_uuids16=["heart"]),
        DataTypes(service_data_uuid128={"180D": b""}),
        DataTypes(public_target_addresses=[b"short"]),
        DataTypes(appearance=0x10000),
        DataTypes(tx_power_level=256),
        DataTypes(include_class_of_device=True),
        DataTypes(manufacturer_specific_data=bytes(255)),
        DataTypes(le_discoverability_mode=7),  # type: ignore[arg-type]
    ],
)
def test_meaningless_data(data: DataTypes) -> None:
    with pytest.raises(Invalid):
        octets_of_data(data, "Heart rate", 100.0)


def test_interval() -> None:
    """In steps of 0.625 ms."""
    assert "interval: 30.625 ms" in settings_of(AdvertiseRequest(legacy=True, interval=30.5), "x").advertising


# Calls that are invalid or not supported


def le(**request: Any) -> Any:
    return CreditBasedChannelRequest(**{"spsm": 0x81, "mtu": 100, "mps": 50, "initial_credit": 3, **request})


Call = Callable[[Reference], Any]


@pytest.mark.parametrize(
    ("code", "call"),
    [
        (UNIMPLEMENTED, lambda r: r.host.Connect(address=OCTETS)),
        (INVALID, lambda r: r.host.Connect(address=bytes(6))),
        (INVALID, lambda r: r.host.Connect(address=b"short")),
        (INVALID, lambda r: r.host.ConnectLE(random=bytes(6))),
        (INVALID, lambda r: r.host.ConnectLE()),
        (UNIMPLEMENTED, lambda r: r.host.ConnectLE(random=OCTETS, own_address_type=RESOLVABLE_OR_PUBLIC)),
        # Over LE alone.
        (UNIMPLEMENTED, lambda r: r.host.SetConnectabilityMode()),
        (UNIMPLEMENTED, lambda r: r.host.SetDiscoverabilityMode()),
        (UNIMPLEMENTED, lambda r: anext(aiter(r.host.Inquiry()))),
        (UNIMPLEMENTED, lambda r: anext(aiter(r.host.Advertise(primary_phy=PRIMARY_CODED)))),
        (UNIMPLEMENTED, lambda r: anext(aiter(r.host.Advertise(legacy=True, primary_phy=PRIMARY_CODED)))),
        (UNIMPLEMENTED, lambda r: anext(aiter(r.host.Advertise(own_address_type=RESOLVABLE_OR_PUBLIC)))),
        (INVALID, lambda r: anext(aiter(r.host.Advertise(legacy=True, interval=7)))),
        (INVALID, lambda r: anext(aiter(r.host.Advertise(legacy=True, public=b"short")))),
        (INVALID, lambda r: anext(aiter(r.host.Advertise(legacy=True, data=DataTypes(uri="x" * 30))))),
        (INVALID, lambda r: anext(aiter(r.host.Advertise(data=ADVERTISED, scan_response_data=ADVERTISED)))),
        # More than this controller holds: the accessory itself refuses it.
        (INVALID, lambda r: anext(aiter(r.host.Advertise(connectable=True, data=DataTypes(uri="x" * 250))))),
        (INVALID, lambda r: r.host.WaitConnection()),
        (INVALID, lambda r: r.host.WaitConnection(address=bytes(6))),
        (INVALID, lambda r: r.host.WaitConnection(address=b"short")),
        (INVALID, lambda r: r.security.Secure(connection=STRANGER, le=LE_LEVEL3)),
        (INVALID, lambda r: r.security.WaitSecurity(connection=MISSHAPEN, le=LE_LEVEL3)),
        (INVALID, lambda r: r.storage.IsBonded(public=b"short")),
        (INVALID, lambda r: r.storage.DeleteBond(random=b"short")),
        (INVALID, lambda r: r.l2cap.Connect(connection=STRANGER, le_credit_based=le())),
        (INVALID, lambda r: r.l2cap.WaitConnection(connection=MISSHAPEN, le_credit_based=le())),
        (INVALID, lambda r: anext(aiter(r.l2cap.Receive(channel=l2cap_pb2.Channel(cookie=Cookie(value=b"?")))))),
        (INVALID, lambda r: anext(aiter(r.l2cap.Receive()))),
        (UNIMPLEMENTED, lambda r: anext(aiter(r.l2cap.Receive(fixed_channel=l2cap_pb2.FixedChannel(cid=4))))),
        (UNIMPLEMENTED, lambda r: r.l2cap.Send(fixed_channel=l2cap_pb2.FixedChannel(cid=4))),
    ],
)
async def test_refused(reference: Reference, code: grpc.StatusCode, call: Call) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await asyncio.wait_for(call(reference), PATIENCE)
    assert error.value.code() == code
    assert error.value.details()
    await reference.at_rest()


async def test_strangers(reference: Reference) -> None:
    """Calls for unknown connections and channels are answered as by Bumble's server."""
    for stranger in (STRANGER, MISSHAPEN, Connection()):
        await reference.host.Disconnect(connection=stranger)
        await reference.host.WaitDisconnection(connection=stranger)
        found = await reference.host.GetConnectionParameters(connection=stranger)
        assert found.result_variant() == "connection_not_found"
        updated = await reference.host.WaitConnectionUpdate(connection=stranger)
        assert updated.result_variant() == "connection_not_found"
    channel = l2cap_pb2.Channel(cookie=Cookie(value=b"\x00\x00\x27\x0f"))
    assert (await reference.l2cap.Send(channel=channel, data=b"x")).error == l2cap_pb2.COMMAND_NOT_UNDERSTOOD
    assert (await reference.l2cap.Disconnect(channel=channel)).error == l2cap_pb2.COMMAND_NOT_UNDERSTOOD
    assert (await reference.l2cap.WaitDisconnection(channel=channel)).error == l2cap_pb2.INVALID_CID_IN_REQUEST
    assert not (await reference.storage.IsBonded()).value
    await reference.storage.DeleteBond(public=bytes(6))


async def test_bad_octets(reference: Reference) -> None:
    """A request that is not a message of its type."""
    call = reference.channel.unary_unary("/pandora.Host/Disconnect", lambda octets: octets, lambda octets: octets)
    with pytest.raises(grpc.aio.AioRpcError):
        await call(b"\xff\xff\xff")
    await reference.at_rest()
    assert (await reference.host.ReadLocalAddress()).address == reference.pandora.device.address


# Connections


async def test_connection(reference: Reference) -> None:
    advertisement = reference.host.Advertise(legacy=True, connectable=True, own_address_type=PUBLIC)
    waited = asyncio.ensure_future(reference.host.WaitConnection(address=OCTETS))
    there = await reference.dut.connect((await reference.host.ReadLocalAddress()).address)
    first = (await anext(aiter(advertisement))).connection
    assert (await waited).connection == first
    parameters = (await reference.host.GetConnectionParameters(connection=first)).connection_parameters
    assert parameters and parameters.connection_interval == round(there.parameters.connection_interval / 1.25)
    await reference.host.Disconnect(connection=first)
    await reference.host.WaitDisconnection(connection=first)
    # The stream goes on, and a cookie names only its own connection.
    await reference.dut.connect(reference.pandora.device.address)
    second = (await anext(aiter(advertisement))).connection
    assert second != first
    await reference.host.Disconnect(connection=first)
    ended = asyncio.ensure_future(reference.host.WaitDisconnection(connection=second))
    advertisement.cancel()
    assert reference.pandora.device.link(second.cookie.value)
    await reference.host.Reset()
    with pytest.raises(grpc.aio.AioRpcError):
        await ended
    await reference.at_rest()


async def test_another_advertisement(reference: Reference) -> None:
    """Only one runs at a time. One that needs a restart is refused while a central is connected."""
    here, _ = await reference.connected()
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await anext(aiter(reference.host.Advertise(legacy=True, connectable=True, own_address_type=RANDOM)))
    assert error.value.code() == ABORTED
    await reference.host.Disconnect(connection=here)
    on_air = reference.host.Advertise(legacy=True, connectable=True)
    await reference.busy()
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await anext(aiter(reference.host.Advertise(legacy=True)))
    assert error.value.code() == UNIMPLEMENTED
    on_air.cancel()
    await reference.at_rest()


async def test_directed(reference: Reference) -> None:
    """The target needs no bond, and gets none."""
    advertisement = reference.host.Advertise(legacy=True, connectable=True, random=OCTETS)
    await reference.dut.connect(reference.pandora.device.address)
    await anext(aiter(advertisement))
    assert not (await reference.storage.IsBonded(random=OCTETS)).value
    advertisement.cancel()
    await reference.at_rest()


# Security


Answer = Callable[[Reference, Any], Awaitable[dict[str, Any]]]


async def yes(reference: Reference, event: Any) -> dict[str, Any]:
    return {"confirm": True}


async def no(reference: Reference, event: Any) -> dict[str, Any]:
    return {"confirm": False}


async def typed(reference: Reference, event: Any) -> dict[str, Any]:
    return {"passkey": await reference.dut.passkeys.get()}


async def not_typed(reference: Reference, event: Any) -> dict[str, Any]:
    return {"passkey": None}


async def shown(reference: Reference, event: Any) -> dict[str, Any]:
    reference.dut.passkeys.put_nowait(event.passkey_entry_notification)
    return {}


async def pairing(
    reference: Reference, capability: IO, answer: Answer, level: Any = LE_LEVEL2
) -> tuple[str | None, str | None]:
    """Returns the kind of a pairing's event, and the result of Secure."""
    reference.dut.capability(capability)
    events: Any = reference.security.OnPairing()
    first = asyncio.ensure_future(anext(events))
    await reference.busy()
    here, there = await reference.connected()
    secure = asyncio.ensure_future(reference.security.Secure(connection=here, le=level))
    event = await asyncio.wait_for(first, PATIENCE)
    if given := await answer(reference, event):
        events.send_nowait(PairingEventAnswer(event=event, **given))
    result = (await asyncio.wait_for(secure, PATIENCE)).result_variant()
    events.cancel()
    await there.disconnect()
    return event.method_variant(), result


@pytest.mark.parametrize(
    ("capability", "level", "answer", "kind", "result"),
    [
        (IO.NO_OUTPUT_NO_INPUT, LE_LEVEL2, yes, "just_works", "success"),
        (IO.NO_OUTPUT_NO_INPUT, LE_LEVEL3, yes, "just_works", "not_reached"),
        (IO.NO_OUTPUT_NO_INPUT, LE_LEVEL2, no, "just_works", "pairing_failure"),
        (IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT, LE_LEVEL4, yes, "numeric_comparison", "success"),
        (IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT, LE_LEVEL3, no, "numeric_comparison", "pairing_failure"),
        (IO.DISPLAY_OUTPUT_ONLY, LE_LEVEL3, typed, "passkey_entry_request", "success"),
        (IO.DISPLAY_OUTPUT_ONLY, LE_LEVEL3, not_typed, "passkey_entry_request", "pairing_failure"),
        (IO.KEYBOARD_INPUT_ONLY, LE_LEVEL3, shown, "passkey_entry_notification", "success"),
    ],
)
async def test_pairing(
    reference: Reference, capability: IO, level: Any, answer: Answer, kind: str, result: str
) -> None:
    assert await pairing(reference, capability, answer, level) == (kind, result)
    assert (await reference.storage.IsBonded(random=OCTETS)).value == (result in ("success", "not_reached"))
    await reference.storage.DeleteBond(random=OCTETS)
    assert not (await reference.storage.IsBonded(random=OCTETS)).value
    await reference.at_rest()


async def test_waits_for_security(reference: Reference) -> None:
    """Without a stream of events, Just Works succeeds; a bonded central does not pair again."""
    reference.dut.capability(IO.NO_OUTPUT_NO_INPUT)
    here, there = await reference.connected()
    assert (await reference.security.WaitSecurity(connection=here, le=LE_LEVEL1)).result_variant() == "success"
    waited = asyncio.ensure_future(reference.security.WaitSecurity(connection=here, le=LE_LEVEL2))
    await there.pair()
    assert (await waited).result_variant() == "success"
    assert (await reference.security.Secure(connection=here, le=LE_LEVEL2)).result_variant() == "success"
    waited = asyncio.ensure_future(reference.security.WaitSecurity(connection=here, le=LE_LEVEL4))
    await reference.busy()
    await there.disconnect()
    assert (await waited).result_variant() == "connection_died"
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await reference.security.Secure(connection=here, classic=LEVEL2)
    assert error.value.code() == INVALID
    await reference.host.FactoryReset()
    assert not (await reference.storage.IsBonded(random=OCTETS)).value


async def test_streams_of_pairing(reference: Reference) -> None:
    """Only one is open at a time. It must begin before connections, and answers only its own events."""
    events: Any = reference.security.OnPairing()
    await reference.busy()
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await anext(reference.security.OnPairing())
    assert error.value.code() == ABORTED
    events.send_nowait(PairingEventAnswer(event=security_pb2.PairingEvent(numeric_comparison=7), confirm=True))
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await anext(events)
    assert error.value.code() == INVALID
    await reference.connected()
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await anext(reference.security.OnPairing())
    assert error.value.code() == ABORTED


# The reference device as the central


async def test_central(reference: Reference) -> None:
    """It scans, connects, pairs and disconnects; the device under test advertises."""
    reference.dut.capability(IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
    await reference.dut.advertise(octets_of_data(ADVERTISED, "", 100))
    scan = reference.host.Scan()
    seen = await anext(aiter(response async for response in scan if response.random == OCTETS))
    assert seen.connectable and seen.data == ADVERTISED
    scan.cancel()
    events: Any = reference.security.OnPairing()
    first = asyncio.ensure_future(anext(events))
    await reference.busy()
    here = (await reference.host.ConnectLE(random=OCTETS, own_address_type=PUBLIC)).connection
    assert here
    again = await reference.host.ConnectLE(random=OCTETS)
    assert again.result_variant() == "connection_already_exists"
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await reference.l2cap.Connect(connection=here, le_credit_based=le())
    assert error.value.code() == UNIMPLEMENTED
    secure = asyncio.ensure_future(reference.security.Secure(connection=here, le=LE_LEVEL4))
    event = await asyncio.wait_for(first, PATIENCE)
    assert event.method_variant() == "numeric_comparison" and event.connection == here
    events.send_nowait(PairingEventAnswer(event=event, confirm=True))
    assert (await asyncio.wait_for(secure, PATIENCE)).result_variant() == "success"
    assert (await reference.storage.IsBonded(random=OCTETS)).value
    await reference.dut.bonded()
    await reference.host.Disconnect(connection=here)
    await reference.host.WaitDisconnection(connection=here)
    await reference.dut.advertise(b"")
    # The connection to a bonded device is encrypted with its key.
    here = (await reference.host.ConnectLE(random=OCTETS)).connection
    assert here
    assert (await reference.security.Secure(connection=here, le=LE_LEVEL4)).result_variant() == "success"
    await reference.host.FactoryReset()
    assert not (await reference.storage.IsBonded(random=OCTETS)).value
    await reference.at_rest()


# L2CAP


async def test_channel_opened_by_the_reference(reference: Reference) -> None:
    here, _ = await reference.connected()
    opened: list[Any] = []
    received: asyncio.Queue[bytes] = asyncio.Queue()
    reference.dut.device.create_l2cap_server(
        LeCreditBasedChannelSpec(psm=0x91, mtu=200, mps=100, max_credits=10), handler=opened.append
    )
    refused = await reference.l2cap.Connect(connection=here, le_credit_based=le(spsm=0x92))
    assert refused.error == l2cap_pb2.COMMAND_NOT_UNDERSTOOD
    channel = (await reference.l2cap.Connect(connection=here, le_credit_based=le(spsm=0x91))).channel
    assert channel
    opened[0].sink = received.put_nowait
    assert (await reference.l2cap.Send(channel=channel, data=b"out")).result_variant() == "success"
    assert await asyncio.wait_for(received.get(), PATIENCE) == b"out"
    assert (await reference.l2cap.Send(channel=channel, data=bytes(201))).error == l2cap_pb2.COMMAND_NOT_UNDERSTOOD
    # Each SDU is one reply.
    replies = aiter(reference.l2cap.Receive(channel=channel))
    opened[0].write(b"in")
    opened[0].write(b"more")
    assert [(await anext(replies)).data for _ in range(2)] == [b"in", b"more"]
    gone = asyncio.ensure_future(reference.l2cap.WaitDisconnection(channel=channel))
    assert (await reference.l2cap.Disconnect(channel=channel)).result_variant() == "success"
    assert (await gone).result_variant() == "success"
    assert [reply async for reply in replies] == []
    assert (await reference.l2cap.Send(channel=channel, data=b"x")).error == l2cap_pb2.COMMAND_NOT_UNDERSTOOD
    for wrong in (le(mtu=22), le(mps=22), le(initial_credit=0), le(spsm=256)):
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await reference.l2cap.Connect(connection=here, le_credit_based=wrong)
        assert error.value.code() == INVALID


async def test_channel_opened_by_the_central(reference: Reference) -> None:
    here, there = await reference.connected()
    waited = asyncio.ensure_future(reference.l2cap.WaitConnection(connection=here, le_credit_based=le()))
    accessory = await reference.accessory()
    await reference.busy()
    while not await accessory.published():
        pass
    channel_there = await there.create_l2cap_channel(LeCreditBasedChannelSpec(psm=0x81, mtu=100, mps=50, max_credits=5))
    channel = (await waited).channel
    assert channel
    received: asyncio.Queue[bytes] = asyncio.Queue()
    channel_there.sink = received.put_nowait
    assert (await reference.l2cap.Send(channel=channel, data=b"out")).result_variant() == "success"
    assert await asyncio.wait_for(received.get(), PATIENCE) == b"out"
    channel_there.write(b"in")
    replies = aiter(reference.l2cap.Receive(channel=channel))
    assert (await anext(replies)).data == b"in"
    await channel_there.disconnect()
    assert (await reference.l2cap.WaitDisconnection(channel=channel)).result_variant() == "success"
    assert [reply async for reply in replies] == []
    await reference.at_rest()


# Calls that are cancelled


@pytest.mark.timeout(240)
async def test_dropped(reference: Reference) -> None:
    """Every call is cancelled at many random moments, which are the same in every run."""
    moments = random.Random(2026)

    async def drop(call: Any) -> None:
        await asyncio.sleep(moments.choice((0, 0.001, 0.004, 0.016, 0.064, 0.128)))
        call.cancel()

    def streams() -> list[Any]:
        return [
            reference.host.Advertise(legacy=True, connectable=True),
            reference.host.Advertise(legacy=True, connectable=True, own_address_type=RANDOM),
            reference.host.Advertise(data=DataTypes(uri="x"), connectable=False),
            reference.host.Advertise(legacy=True, connectable=True, random=OCTETS),
            reference.security.OnPairing(),
            reference.host.Scan(),
            reference.host.ConnectLE(random=OCTETS),
        ]

    for round in range(20):
        for call in streams():
            await drop(call)
        await reference.at_rest()
        assert (await (await reference.accessory()).bonds()) == []
    here, _ = await reference.connected()
    calls: list[Callable[[], Any]] = [
        lambda: reference.host.WaitConnection(address=bytes(5) + b"\x01"),
        lambda: reference.host.WaitDisconnection(connection=here),
        lambda: reference.host.WaitConnectionUpdate(connection=here),
        lambda: reference.security.WaitSecurity(connection=here, le=LE_LEVEL4),
        lambda: reference.l2cap.WaitConnection(connection=here, le_credit_based=le(spsm=moments.randrange(0x80, 0xFF))),
        lambda: reference.l2cap.WaitConnection(connection=here, enhanced_credit_based=le(mps=64)),
    ]
    for round in range(20):
        dropped = [call() for call in calls]
        moments.shuffle(dropped)
        for call in dropped:
            await drop(call)
        await reference.at_rest()
    # The client leaves at each step of a pairing.
    reference.dut.capability(IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
    await reference.host.Disconnect(connection=here)
    for round in range(10):
        events: Any = reference.security.OnPairing()
        here, there = await reference.connected()
        secure = reference.security.Secure(connection=here, le=LE_LEVEL3)
        for call in (secure, events) if round % 2 else (events, secure):
            await drop(call)
        await there.disconnect()
        await reference.at_rest()
        await reference.host.FactoryReset()
    assert await pairing(reference, IO.NO_OUTPUT_NO_INPUT, yes) == ("just_works", "success")


async def advertises(pandora: Pandora) -> bool:
    """Returns whether the accessory advertises; it restarts for each different advertisement."""
    try:
        return any(entry.on for entry in await (await pandora.device.running()).advertising())
    except UnderstudyError:
        return False


async def test_controller_without_public_address() -> None:
    """With `controller` there is no central, and without a public address the accessory has a static one."""
    async with (
        aio.Air.start() as air,
        await Pandora.start("battery", controller=air.joining[0]) as pandora,
        grpc.aio.insecure_channel(f"127.0.0.1:{pandora.port}") as channel,
    ):
        host = Host(channel)
        # The two most significant bits of a static address are 1 (Core 5.4 Vol 6 Part B 1.3.2.1).
        assert (await host.ReadLocalAddress()).address[0] >= 0xC0
        for call in (host.Advertise(legacy=True), host.Scan()):
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await anext(aiter(call))
            assert error.value.code() == UNIMPLEMENTED
        advertisement = host.Advertise(legacy=True, connectable=True, own_address_type=RANDOM)
        async with asyncio.timeout(PATIENCE):
            while not await advertises(pandora):
                pass
        advertisement.cancel()
    assert pandora.joining == []


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["no-such-profile"], 69, "no-such-profile"),
        (["battery", "--controller", "serial:/dev/no-such-port"], 69, "/dev/no-such-port"),
        (["battery", "--port", "70000"], 2, "a port is 0 to 65535"),
        (["battery", "--pairing", "telepathy"], 2, "telepathy"),
    ],
)
def test_command_refuses(words: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == code
    assert sentence in capsys.readouterr().err


async def test_ended_accessory(reference: Reference) -> None:
    """The calls of a program end with it; the next call starts another program."""
    advertisement = reference.host.Advertise(legacy=True, connectable=True)
    there = await reference.dut.connect(reference.pandora.device.address)
    here = (await anext(aiter(advertisement))).connection
    ended = asyncio.ensure_future(reference.host.WaitDisconnection(connection=here))
    await reference.busy(2)
    await (await reference.accessory()).program.kill()
    await ended
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await anext(aiter(advertisement))
    assert error.value.code() == ABORTED
    await there.disconnect()
    await reference.at_rest()
    await reference.connected()


