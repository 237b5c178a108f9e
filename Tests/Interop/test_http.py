"""The control API."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from bumble import att
from understudy import aio

from conftest import EVERYTHING, Stage
from support.attributes import handles_by_id
from support.controllers import LOOPBACK, free_port
from support.events import mistakes
from support.program import EX_USAGE, Program, describe, executable, run
from support.web import Client


@dataclass
class Controlled:
    """A running profile with its control API."""

    stage: Stage
    program: Program
    client: Client
    handles: dict[str, int]


@pytest.fixture
async def controlled(virtual: Stage) -> Controlled:
    program = await virtual.run(EVERYTHING, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    return Controlled(virtual, program, client, handles_by_id(await describe(EVERYTHING)))


async def test_accessory(controlled: Controlled) -> None:
    answer = await controlled.client.get("/v1/accessory")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json["name"] == "Everything"
    assert controlled.stage.ready is not None
    assert controlled.stage.ready["address"] in answer.body.decode()


async def test_accessory_shows_connections(controlled: Controlled) -> None:
    assert (await controlled.client.get("/v1/accessory")).json["connections"] == []
    await controlled.stage.connect()
    await controlled.program.event("connected")
    (connection,) = (await controlled.client.get("/v1/accessory")).json["connections"]
    assert "F0:00:00:00:00:01" in str(connection)


async def test_value_that_is_put_is_read(controlled: Controlled) -> None:
    session = await controlled.stage.connect(mtu=517)
    answer = await controlled.client.put("/v1/characteristics/twenty/value", {"hex": "c0ffee"})
    assert answer.status in (200, 204), answer.body
    assert await session.read(controlled.handles["twenty"]) == bytes.fromhex("c0ffee")
    # By UUID as well.
    answer = await controlled.client.put("/v1/characteristics/FFF6/value", {"hex": "beef"})
    assert answer.status in (200, 204), answer.body
    assert await session.read(controlled.handles["twenty"]) == bytes.fromhex("beef")


async def test_value_that_is_written_is_got(controlled: Controlled) -> None:
    session = await controlled.stage.connect(mtu=517)
    await session.write(controlled.handles["storage"], bytes.fromhex("0badcafe"))
    answer = await controlled.client.get("/v1/characteristics/storage/value")
    assert answer.status == 200
    assert answer.json["hex"].lower() == "0badcafe"


@pytest.mark.parametrize(("verb", "bits"), [("notify", 0x0001), ("indicate", 0x0002)])
async def test_push(controlled: Controlled, verb: str, bits: int) -> None:
    """`announcement` has no period: it is sent only on request over HTTP."""
    session = await controlled.stage.connect(mtu=517)
    handle = controlled.handles["announcement"]
    await session.subscribe(handle, bits)
    answer = await controlled.client.post(f"/v1/characteristics/announcement/{verb}")
    assert answer.status in (200, 202, 204), answer.body
    ((_, pdu),) = await session.arrivals(1, handle)
    assert pdu.attribute_value == b"\x01\x02"
    assert isinstance(pdu, att.ATT_Handle_Value_Notification) == (verb == "notify")


async def test_event_stream(controlled: Controlled) -> None:
    async with aio.Program.attach(controlled.client.url) as attached:
        session = await controlled.stage.connect(mtu=517)
        connected = await attached.expect("connected", within=30)
        assert "F0:00:00:00:00:01" in connected["peer"]
        await session.write(controlled.handles["storage"], b"\x2a")
        await attached.expect("write", value=b"\x2a", within=30)
        await session.disconnect()
        await attached.expect("disconnected", connection=connected.connection, within=30)
        numbers = [event.sequence for event in attached.events]
        assert numbers == list(range(numbers[0] or 0, len(numbers) + (numbers[0] or 0)))
        assert [mistake for event in attached.events for mistake in mistakes(executable(), dict(event.raw))] == []


async def test_disconnect(controlled: Controlled) -> None:
    first, second = await controlled.stage.connect(), await controlled.stage.connect()
    numbers = {event["peer"]: event["connection"] for event in await controlled.program.count("connected", 2)}
    (number,) = [number for peer, number in numbers.items() if "F0:00:00:00:00:02" in peer]
    answer = await controlled.client.post(f"/v1/connections/{number}/disconnect")
    assert answer.status in (200, 202, 204), answer.body
    await asyncio.wait_for(second.disconnected, 30)
    assert await first.read(controlled.handles["twenty"]) == bytes(range(20))


async def test_advertising_stops_and_starts(controlled: Controlled) -> None:
    central = await controlled.stage.central()
    await central.find(controlled.stage.address)
    assert (await controlled.client.post("/v1/advertising/main/stop")).status in (200, 202, 204)
    with pytest.raises(TimeoutError):
        # The set had an interval of 20 ms.
        await central.find(controlled.stage.address, timeout=0.5)
    assert (await controlled.client.post("/v1/advertising/main/start")).status in (200, 202, 204)
    await central.find(controlled.stage.address)


@pytest.mark.parametrize(
    ("method", "path", "value", "status"),
    [
        ("GET", "/v1/characteristics/absent/value", None, 404),
        ("PUT", "/v1/characteristics/absent/value", {"hex": "00"}, 404),
        ("PUT", "/v1/characteristics/twenty/value", {"hex": "0"}, 400),
        ("PUT", "/v1/characteristics/twenty/value", {"hex": "zz"}, 400),
        ("PUT", "/v1/characteristics/twenty/value", {"hex": "00" * 513}, 400),
        ("POST", "/v1/connections/99/disconnect", None, 404),
        ("POST", "/v1/advertising/absent/start", None, 404),
        ("GET", "/v1/absent", None, 404),
    ],
)
async def test_refusals(controlled: Controlled, method: str, path: str, value: Any, status: int) -> None:
    answer = await controlled.client.request(method, path, value)
    assert answer.status == status, answer.body
    assert (await controlled.client.get("/v1/accessory")).status == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]"])
async def test_open_network_needs_a_token(host: str) -> None:
    completed = await run("run", EVERYTHING, "--http", f"{host}:{free_port()}", "--json")
    assert completed.code == EX_USAGE
    assert "token" in completed.errors
