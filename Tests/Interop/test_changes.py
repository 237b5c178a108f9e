"""Services that are added, changed and removed while a central is connected: Service Changed and robust caching
(Core 5.4 Vol 3 Part G 2.5.2, 7).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from bumble import att
from bumble.core import UUID

from conftest import Stage
from support.attributes import discovered
from support.central import Session
from support.controllers import LOOPBACK
from support.hashing import database_hash
from support.program import PROFILES, Program
from support.web import Client

CHANGING = PROFILES / "changing.yaml"

# Services in the form of a profile.
LOG = {
    "id": "log",
    "uuid": "FFE0",
    "characteristics": [
        {
            "id": "entry",
            "uuid": "FFE1",
            "properties": ["read", "write", "notify"],
            "format": "u16",
            "value": {"counter": {"to": 60000, "every": "20 ms"}},
            "notify": {"every": "100 ms"},
        },
        {
            "id": "clear",
            "uuid": "FFE2",
            "properties": ["write"],
            "on-write": [{"when": "hex:01", "do": {"set": {"kept": "hex:ff"}, "notify": "kept"}}],
        },
    ],
}
NUMBER = {"characteristics": [{"id": "number", "uuid": "FFF8", "properties": ["read"], "value": "hex:0809"}]}


@dataclass
class Changing:
    """A running accessory with services that a test changes over HTTP."""

    stage: Stage
    program: Program
    client: Client

    async def services(self) -> dict[str, dict[str, Any]]:
        answer = await self.client.get("/v1/services")
        assert answer.status == 200
        return {service["id"]: service for service in answer.json["services"]}

    async def add(self, service: dict[str, Any]) -> dict[str, Any]:
        answer = await self.client.post("/v1/services", service)
        assert answer.status == 201, answer.body
        return answer.json

    async def remove(self, name: str) -> None:
        answer = await self.client.request("DELETE", f"/v1/services/{name}")
        assert answer.status == 200, answer.body


@pytest.fixture
async def changing(virtual: Stage) -> Changing:
    program = await virtual.run(CHANGING, "--http", f"{LOOPBACK}:0")
    return Changing(virtual, program, Client(LOOPBACK, (await program.event("http"))["port"]))


def span(service: dict[str, Any]) -> bytes:
    """Returns the value of Service Changed for a service."""
    return service["handle"].to_bytes(2, "little") + service["end"].to_bytes(2, "little")


async def hash_by_type(session: Session) -> bytes:
    """Returns the Database Hash as read by a client that knows no handles."""
    response = await session.expect(
        att.ATT_Read_By_Type_Request(
            starting_handle=0x0001, ending_handle=0xFFFF, attribute_type=UUID.from_16_bits(0x2B2A)
        )
    )
    assert isinstance(response, att.ATT_Read_By_Type_Response)
    ((_, value),) = response.attributes
    return value


async def test_service_changed(changing: Changing) -> None:
    session = await changing.stage.connect(mtu=517)
    service_changed = await session.handle_of("2A05")
    await session.subscribe(service_changed, 0x0002)
    before = await discovered(session)

    added = await changing.add(LOG)
    ((_, indication),) = await session.arrivals(1, service_changed)
    assert isinstance(indication, att.ATT_Handle_Value_Indication)
    assert indication.attribute_value == span(added)
    event = await changing.program.event("database-changed")
    assert (event["first_handle"], event["last_handle"]) == (added["handle"], added["end"])
    assert bytes.fromhex(event["hash"]) == await hash_by_type(session) == await database_hash(session)

    after = await discovered(session)
    assert after[: len(before)] == before
    (new,) = after[len(before) :]
    assert (new.uuid, new.handle, new.end) == (UUID("FFE0"), added["handle"], added["end"])
    entry, clear = new.characteristics

    # The new characteristics behave according to the JSON.
    first = int.from_bytes(await session.read(entry.value_handle), "little")
    await session.subscribe(entry.value_handle)
    values = [int.from_bytes(pdu.attribute_value, "little") for _, pdu in await session.arrivals(3, entry.value_handle)]
    assert first < values[0] < values[1] < values[2]
    kept = await session.handle_of("FFF1")
    await session.subscribe(kept)
    await session.write(clear.value_handle, b"\x01")
    ((_, notification),) = await session.arrivals(1, kept)
    assert notification.attribute_value == b"\xff"

    await changing.remove("log")
    *_, (_, indication) = await session.arrivals(2, service_changed)
    assert indication.attribute_value == span(added)
    assert await discovered(session) == before
    assert await session.error(att.ATT_Read_Request(attribute_handle=entry.value_handle)) == 0x01
    sent = len(session.values(entry.value_handle))
    await asyncio.sleep(0.5)
    assert len(session.values(entry.value_handle)) == sent
    assert (await changing.services()).keys() == {"generic-access", "generic-attribute", "first", "last"}


async def test_replaced_service(changing: Changing) -> None:
    """A service that fits keeps its place; one that does not moves after all others."""
    session = await changing.stage.connect(mtu=517)
    service_changed = await session.handle_of("2A05")
    await session.subscribe(service_changed, 0x0002)
    old = (await changing.services())["last"]
    answer = await changing.client.put("/v1/services/last", {"uuid": "FFF7", **NUMBER})
    assert answer.status == 200, answer.body
    assert (answer.json["handle"], answer.json["uuid"]) == (old["handle"], "FFF7")
    await session.arrivals(1, service_changed)
    assert session.values(service_changed) == [span(old)]
    assert await session.read(await session.handle_of("FFF8")) == b"\x08\x09"
    # The values of the Device Information service need more room.
    answer = await changing.client.put("/v1/services/last", {"include": "device-information"})
    assert answer.status == 200, answer.body
    assert answer.json["handle"] == old["handle"]
    await session.arrivals(2, service_changed)
    assert session.values(service_changed)[1] == span(answer.json)
    assert await session.read(await session.handle_of("2A29")) == b"Understudy"
    assert await database_hash(session) == await hash_by_type(session)


async def test_changes_without_confirmation(changing: Changing) -> None:
    """Changes during an indication are combined in the next one."""
    session = await changing.stage.connect(mtu=517)
    session.confirms = False
    service_changed = await session.handle_of("2A05")
    await session.subscribe(service_changed, 0x0002)
    first = await changing.add(LOG)
    await session.arrivals(1, service_changed)
    second = await changing.add({"id": "second", "uuid": "FFE8", "characteristics": []})
    await changing.remove("log")
    await session.read(await session.handle_of("FFF1"))
    assert session.values(service_changed) == [span(first)]
    session.confirm()
    await session.arrivals(2, service_changed)
    assert session.values(service_changed)[1] == span({"handle": first["handle"], "end": second["end"]})
    session.confirm()
    await session.read(await session.handle_of("FFF1"))
    assert len(session.values(service_changed)) == 2


async def robust(changing: Changing) -> tuple[Session, int]:
    """Returns a client with robust caching, and the handle of a value that it knows."""
    session = await changing.stage.connect(mtu=517)
    features = await session.handle_of("2B29")
    await session.write(features, b"\x01")
    assert await session.read(features) == b"\x01"
    return session, await session.handle_of("FFF1")


async def test_out_of_sync_until_the_hash_is_read(changing: Changing) -> None:
    session, kept = await robust(changing)
    before = await hash_by_type(session)
    assert before == await database_hash(session)
    await changing.add(LOG)
    # The error comes once. After it, a client that repeats the request gets an answer, even without reading the hash.
    assert await session.error(att.ATT_Read_Request(attribute_handle=kept)) == 0x12
    after = await hash_by_type(session)
    assert after != before
    assert await session.read(kept) == b"\x01"
    assert after == await database_hash(session)

    await changing.remove("log")
    assert await hash_by_type(session) == before
    assert await session.read(kept) == b"\x01"


async def test_out_of_sync_once(changing: Changing) -> None:
    session, kept = await robust(changing)
    await changing.add(LOG)
    request = att.ATT_Write_Request(attribute_handle=kept, attribute_value=b"\x07")
    assert await session.error(request) == 0x12
    assert await session.read(kept) == b"\x01"
    await session.expect(request)
    assert await session.read(kept) == b"\x07"


async def test_out_of_sync_until_service_changed_is_confirmed(changing: Changing) -> None:
    session, kept = await robust(changing)
    service_changed = await session.handle_of("2A05")
    await session.subscribe(service_changed, 0x0002)
    await session.subscribe(kept)
    session.confirms = False
    await changing.add(LOG)
    await session.arrivals(1, service_changed)
    # A change-unaware client is not notified.
    answer = await changing.client.post("/v1/characteristics/kept/notify")
    assert answer.status in (200, 409), answer.body
    session.confirm()
    assert await session.read(kept) == b"\x01"
    assert session.values(kept) == []
    await changing.client.post("/v1/characteristics/kept/notify")
    await session.arrivals(1, kept)


async def test_client_without_robust_caching_is_not_held_up(changing: Changing) -> None:
    aware, kept = await robust(changing)
    plain = await changing.stage.connect(mtu=517)
    before = await hash_by_type(plain)
    await changing.add(LOG)
    assert await plain.read(kept) == b"\x01"
    after = await hash_by_type(plain)
    assert after != before
    assert after == await database_hash(plain)
    assert await plain.read(kept) == b"\x01"
    # The actions of one client do not affect another's change awareness.
    assert await aware.error(att.ATT_Read_Request(attribute_handle=kept)) == 0x12


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "message"),
    [
        ("POST", "/v1/services", LOG | {"id": "first"}, 409, "already a service first"),
        ("POST", "/v1/services", {"uuid": "FFE0"} | NUMBER, 409, "a characteristic number, in the service last"),
        ("POST", "/v1/services", {"uuid": "1801", "characteristics": []}, 409, "Generic Attribute"),
        ("PUT", "/v1/services/generic-access", LOG, 409, "Generic Access"),
        ("DELETE", "/v1/services/generic-attribute", None, 409, "Generic Attribute"),
        ("DELETE", "/v1/services/first", None, 409, "because last includes it"),
        ("DELETE", "/v1/services/log", None, 404, "no service log"),
        ("POST", "/v1/services", LOG | {"uuid": "FFE"}, 400, "uuid: "),
    ],
)
async def test_refused_changes(
    changing: Changing, method: str, path: str, body: Any, status: int, message: str
) -> None:
    session = await changing.stage.connect(mtu=517)
    before = await hash_by_type(session)
    answer = await changing.client.request(method, path, body)
    assert answer.status == status, answer.body
    assert message in answer.json["error"]
    assert await hash_by_type(session) == before
    assert not changing.program.named("database-changed")
