"""The accessory as a client of a phone's services: Bumble is the central that serves Current Time and Battery."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from bumble import att
from bumble.core import UUID
from bumble.gatt import (
    GATT_BATTERY_LEVEL_CHARACTERISTIC,
    GATT_BATTERY_SERVICE,
    GATT_CURRENT_TIME_CHARACTERISTIC,
    GATT_CURRENT_TIME_SERVICE,
    Characteristic,
    CharacteristicValue,
    Service,
)

from conftest import Stage
from support.central import Central, Session
from support.controllers import LOOPBACK
from support.program import SHIPPED_PROFILES
from support.web import Client

PHONE_CLIENT = SHIPPED_PROFILES / "phone-client.yaml"
PHONE_BATTERY = "0000C001-1212-EFDE-1523-785FEABCD123"
# 2024-02-29T12:30:00, a Thursday.
NOON = bytes([0xE8, 0x07, 2, 29, 12, 30, 0, 4, 0, 0])
NOTE = "0000D001-1212-EFDE-1523-785FEABCD123"


@dataclass
class Phone:
    """A central with its own services."""

    central: Central
    battery: Characteristic[bytes]
    # The values written to its note.
    notes: list[bytes]

    @classmethod
    def of(cls, central: Central) -> Phone:
        properties = Characteristic.Properties
        readable = Characteristic.Permissions.READABLE
        clock: Characteristic[bytes] = Characteristic(
            GATT_CURRENT_TIME_CHARACTERISTIC, properties.READ | properties.NOTIFY, readable, NOON
        )
        battery: Characteristic[bytes] = Characteristic(
            GATT_BATTERY_LEVEL_CHARACTERISTIC, properties.READ | properties.NOTIFY, readable, bytes([87])
        )
        notes: list[bytes] = []
        note: Characteristic[bytes] = Characteristic(
            NOTE,
            properties.READ | properties.WRITE,
            readable | Characteristic.Permissions.WRITEABLE,
            CharacteristicValue(read=lambda _: bytes(range(200)), write=lambda _, value: notes.append(value)),
        )
        central.device.add_services(
            [
                Service(GATT_CURRENT_TIME_SERVICE, [clock]),
                Service(GATT_BATTERY_SERVICE, [battery]),
                Service("0000D000-1212-EFDE-1523-785FEABCD123", [note]),
            ]
        )
        return cls(central, battery, notes)


async def battery_shown(session: Session, level: int) -> None:
    """Reads the accessory until it shows that level."""
    handle = await session.handle_of(PHONE_BATTERY)
    async with asyncio.timeout(30):
        while await session.read(handle) != bytes([level]):
            await asyncio.sleep(0.05)


async def test_phone_client_takes_time_and_battery(stage: Stage) -> None:
    program = await stage.run(PHONE_CLIENT)
    phone = Phone.of(await stage.central())
    session = await phone.central.connect(stage.address)
    time = await program.event("remote-step", step="read current-time")
    assert bytes.fromhex(time["hex"]) == NOON
    await battery_shown(session, 87)
    clock = await session.read(await session.handle_of("2A2B"))
    assert clock[:6] == NOON[:6]
    # Changes of the level are notified.
    await program.event("remote-ended", where=lambda event: event.get("hex") == "57")
    phone.battery.value = bytes([86])
    await phone.central.device.notify_subscribers(phone.battery)
    await battery_shown(session, 86)


async def test_central_without_these_services(stage: Stage) -> None:
    program = await stage.run(PHONE_CLIENT)
    session = await stage.connect()
    failed = await program.event("remote-step", step="read battery-level")
    assert "no such characteristic" in failed["reason"]
    assert failed["retry"] is True
    # The accessory's server still works.
    await battery_shown(session, 0)


async def test_both_directions_at_once(stage: Stage) -> None:
    """Reads of the central's values, and discovery, reads and writes of the accessory share one bearer."""
    program = await stage.run(PHONE_CLIENT, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    phone = Phone.of(await stage.central())
    session = await phone.central.connect(stage.address)
    number = (await program.event("connected"))["connection"]
    remote = f"/v1/connections/{number}/remote"
    name = await session.handle_of("2A00")

    async def read_names() -> None:
        for _ in range(50):
            assert await session.read(name) == b"Phone Client"

    async def use_phone() -> None:
        answer = await client.post(f"{remote}/discover")
        assert answer.status == 200, answer.body
        services = {service["uuid"] for service in answer.json["services"]}
        assert {"1805", "180F"} <= services
        for level in range(20):
            written = bytes([level]) * (level + 30)
            answer = await client.post(f"{remote}/write", {"uuid": NOTE, "hex": written.hex()})
            assert answer.status == 200, answer.body
            answer = await client.post(f"{remote}/read", {"uuid": NOTE})
            assert bytes.fromhex(answer.json["hex"]) == bytes(range(200))

    await asyncio.gather(read_names(), use_phone())
    assert phone.notes == [bytes([level]) * (level + 30) for level in range(20)]


async def test_control(virtual: Stage) -> None:
    program = await virtual.run(PHONE_CLIENT, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    phone = Phone.of(await virtual.central())
    await phone.central.connect(virtual.address)
    number = (await program.event("connected"))["connection"]
    remote = f"/v1/connections/{number}/remote"
    answer = await client.post(f"{remote}/read", {"uuid": "battery-level"})
    assert (answer.status, answer.json["value"], answer.json["uuid"]) == (200, 87, "2A19")
    answer = await client.post(f"{remote}/read", {"handle": answer.json["handle"]})
    assert (answer.status, answer.json["hex"]) == (200, "57")
    answer = await client.post(f"{remote}/subscribe", {"uuid": "2A19", "service": "battery"})
    assert (answer.status, answer.json["notify"], answer.json["indicate"]) == (200, True, False)
    await phone.central.device.notify_subscribers(phone.battery, bytes([12]))
    await program.event("remote-notification", hex="0c")
    known = await client.get(remote)
    assert UUID(NOTE) in [
        UUID(found["uuid"]) for service in known.json["services"] for found in service["characteristics"]
    ]
    # Unknown handles, an unknown characteristic, an unknown connection.
    answer = await client.post(f"{remote}/write", {"handle": 0x7777, "hex": "05"})
    assert answer.status == 502, answer.body
    assert "Invalid Handle" in answer.json["error"]
    assert (await client.post(f"{remote}/read", {"handle": 0x7777})).status == 502
    assert (await client.post(f"{remote}/read", {"uuid": "2A37"})).status == 404
    assert (await client.post("/v1/connections/4000/remote/read", {"handle": 3})).status == 404
    assert (await client.get("/v1/connections/4000/remote")).status == 404


@pytest.mark.parametrize(
    ("verb", "body", "field"),
    [
        ("read", None, "uuid, service, handle"),
        ("read", {"uuid": "2A19", "handle": 3}, "uuid and handle"),
        ("read", {"uuid": 5}, "uuid"),
        ("read", {"handle": 0}, "handle"),
        ("read", {"handle": "3"}, "handle"),
        ("read", {"handle": 3, "service": "battery"}, "service"),
        ("read", {"uid": "2A19"}, "uid"),
        ("write", {"handle": 3}, "hex or value"),
        ("write", {"handle": 3, "hex": "0"}, "hex"),
        ("write", {"handle": 3, "hex": "00", "value": 1}, "hex and value"),
        ("write", {"uuid": "2A19", "value": 300}, "value"),
        ("write", {"handle": 3, "hex": "00", "response": 1}, "response"),
        ("subscribe", {"uuid": "2A19", "notify": 1}, "notify"),
        ("discover", {"all": True}, "all"),
    ],
)
async def test_strict_bodies(virtual: Stage, verb: str, body: object, field: str) -> None:
    program = await virtual.run(PHONE_CLIENT, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    answer = await client.post(f"/v1/connections/0/remote/{verb}", body)
    assert answer.status == 400
    assert field in answer.json["error"]


async def test_requests_to_a_central_that_refuses(virtual: Stage) -> None:
    """A central whose server answers every request with Request Not Supported."""
    program = await virtual.run(PHONE_CLIENT)
    central = await virtual.central()
    server = central.device.gatt_server

    def refuse(bearer: object, pdu: att.ATT_PDU) -> None:
        server.send_response(
            bearer,
            att.ATT_Error_Response(
                request_opcode_in_error=pdu.op_code,
                attribute_handle_in_error=0,
                error_code=att.ATT_REQUEST_NOT_SUPPORTED_ERROR,
            ),
        )

    server.on_gatt_pdu = refuse  # type: ignore[method-assign, assignment]
    session = await central.connect(virtual.address)
    failed = await program.event("remote-step", step="read current-time")
    assert "Request Not Supported" in failed["reason"]
    await battery_shown(session, 0)
