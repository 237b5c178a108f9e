"""Injected faults with an independent central. docs/faults.md has the findings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest
from bumble import att, core, hci
from bumble.l2cap import LeCreditBasedChannelSpec

from conftest import Stage
from support.attributes import handles_by_id
from support.central import Session
from support.program import PROFILES, describe
from support.program import run as run_program
from support.web import Client

FAULTY = PROFILES / "faulty.yaml"


@pytest.fixture
async def handles() -> dict[str, int]:
    return handles_by_id(await describe(FAULTY))


@dataclass
class Run:
    """The accessory with a fault, and a connected central."""

    stage: Stage
    session: Session
    handles: dict[str, int]

    async def injected(self, count: int = 1) -> None:
        assert self.stage.program
        faults = await self.stage.program.count("fault", count)
        assert [fault.raw["fault"] for fault in faults] == ["injected"] * len(faults)


Start = Callable[..., Awaitable[Run]]


@pytest.fixture
async def run(virtual: Stage, handles: dict[str, int]) -> Start:
    async def start(*faults: str, mtu: int | None = None) -> Run:
        await virtual.run(FAULTY, *(word for fault in faults for word in ("--fault", fault)))
        return Run(virtual, await virtual.connect(mtu=mtu), handles)

    return start


def read(handle: int) -> att.ATT_PDU:
    return att.ATT_Read_Request(attribute_handle=handle)


@pytest.mark.parametrize("code", [0x01, 0x05, 0x0E, 0x11, 0x80, 0xFC, 0xFF])
async def test_errors(run: Start, code: int) -> None:
    here = await run(f"on: {{ read: level }}, do: {{ error: 0x{code:02X} }}, times: 1")
    assert await here.session.error(read(here.handles["level"])) == code
    await here.injected()
    assert await here.session.read(here.handles["level"]) == b"\x07"


@pytest.mark.parametrize(
    ("deed", "octets"),
    [
        ("{ value: hex:0A0B }", b"\x0a\x0b"),
        ("corrupt", b"\xfe\xfd"),
        ("{ truncate: 2 }", b"\x01"),
        ("{ lengthen: 10 }", b"\x01\x02" + bytes(7)),
        ("{ delay: 1 s }", b"\x01\x02"),
    ],
)
async def test_answers_that_are_altered(run: Start, deed: str, octets: bytes) -> None:
    here = await run(f"on: {{ read: lock }}, do: {deed}, times: 1")
    response = await here.session.request(read(here.handles["lock"]))
    assert isinstance(response, att.ATT_Read_Response)
    assert response.attribute_value == octets
    await here.injected()
    assert await here.session.read(here.handles["level"]) == b"\x07"


async def test_an_answer_that_comes_twice(run: Start) -> None:
    here = await run("on: { read: lock }, do: twice, times: 1")
    await here.session.request(read(here.handles["lock"]))
    async with asyncio.timeout(30):
        while len(here.session.responses) < 2:
            await asyncio.sleep(0.02)
    # Without an outstanding request Bumble ignores the second one.
    assert await here.session.read(here.handles["level"]) == b"\x07"


@pytest.mark.parametrize("deed", ["ignore", "{ delay: 31 s }"])
async def test_answers_that_do_not_come(run: Start, deed: str) -> None:
    here = await run(f"on: {{ read: lock }}, do: {deed}")
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(here.session.client.send_request(read(here.handles["lock"])), 3)
    await here.injected()


async def test_refused_writes_change_nothing(run: Start) -> None:
    here = await run("on: { write: lock }, do: { error: 0x80 }")
    request = att.ATT_Write_Request(attribute_handle=here.handles["lock"], attribute_value=b"\x05")
    assert await here.session.error(request) == 0x80
    await here.session.command(here.handles["lock"], b"\x06")
    await here.injected(2)
    assert await here.session.read(here.handles["lock"]) == b"\x01\x02"


@pytest.mark.parametrize("mtu", [23, 30, 100])
async def test_mtu(run: Start, mtu: int) -> None:
    here = await run(f"on: {{ request: exchange-mtu }}, do: {{ mtu: {mtu} }}")
    assert await here.session.exchange_mtu(517) == mtu


async def test_mtu_refused(run: Start) -> None:
    here = await run("on: { request: exchange-mtu }, do: { error: request-not-supported }")
    with pytest.raises(core.ProtocolError):
        await here.session.exchange_mtu(517)
    assert await here.session.read(here.handles["level"]) == b"\x07"


@pytest.mark.parametrize(
    ("deed", "steps"),
    [
        ("drop, every: 2", [2, 2, 2]),
        ("duplicate, nth: 2", [1, 0, 1]),
        ("{ repeat: 3 }, nth: 2", [1, 0, 0, 1]),
        ("reorder, nth: 2", [2, -1, 2]),
        ("drop, nth: 2, times: 4", [5, 1, 1]),
    ],
)
async def test_notifications(run: Start, deed: str, steps: list[int]) -> None:
    here = await run(f"on: {{ notify: count }}, do: {deed}")
    await here.session.subscribe(here.handles["count"])
    await here.session.arrivals(len(steps) + 1, here.handles["count"])
    values = [int.from_bytes(value, "little") for value in here.session.values(here.handles["count"])]
    assert [b - a for a, b in zip(values, values[1:], strict=False)][: len(steps)] == steps


async def test_indication_that_is_repeated(run: Start) -> None:
    here = await run("on: { indicate: alarm }, do: duplicate, nth: 1")
    await here.session.subscribe(here.handles["alarm"], 0x0002)
    arrivals = await here.session.arrivals(2, here.handles["alarm"])
    assert arrivals[1][0] - arrivals[0][0] < 0.15


@pytest.mark.parametrize(
    ("reason", "code"), [("user-terminated", 0x13), ("low-resources", 0x14), ("power-off", 0x15)]
)
@pytest.mark.parametrize("moment", ["before", "during", "after"])
async def test_disconnections(run: Start, reason: str, code: int, moment: str) -> None:
    here = await run(f"on: {{ read: lock }}, do: {{ disconnect: {reason}, when: {moment} }}")
    answer = asyncio.ensure_future(here.session.client.send_request(read(here.handles["lock"])))
    assert await asyncio.wait_for(here.session.disconnected, 30) == code
    # Bumble abandons its requests when the link ends.
    await asyncio.wait([answer], timeout=1)
    assert (answer.done() and not answer.cancelled()) == (moment == "after")


async def test_vanishing(run: Start) -> None:
    here = await run("on: { write: lock }, do: { vanish: 3 s }, times: 1")
    await here.session.command(here.handles["lock"], b"\x01")
    assert await asyncio.wait_for(here.session.disconnected, 30) == hci.HCI_CONNECTION_TIMEOUT_ERROR
    again = await here.stage.connect()
    assert await again.read(here.handles["level"]) == b"\x07"


async def test_a_reboot_forgets_values(run: Start) -> None:
    here = await run("on: disconnected, do: { reboot: 1 s }, times: 1")
    await here.session.write(here.handles["lock"], b"\x09")
    await here.session.disconnect()
    await here.injected()
    await asyncio.sleep(1.5)
    again = await here.stage.connect()
    assert await again.read(here.handles["lock"]) == b"\x01\x02"


async def test_mute(run: Start) -> None:
    here = await run("on: { read: level }, do: mute")
    for _ in range(2):
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(here.session.client.send_request(read(here.handles["level"])), 1)
    await here.injected()


@pytest.mark.parametrize("result", [2, 4, 5, 8])
async def test_channels_refused(run: Start, result: int) -> None:
    here = await run(f"on: {{ channel-request: stream }}, do: {{ result: {result} }}, times: 1")
    spec = LeCreditBasedChannelSpec(psm=0x90, mtu=512, mps=247)
    with pytest.raises(core.ProtocolError):
        await here.session.connection.create_l2cap_channel(spec)
    await here.injected()
    await here.session.connection.create_l2cap_channel(spec)


async def test_an_sdu_that_is_lost(run: Start) -> None:
    here = await run("on: { sdu: stream }, do: drop, nth: 2")
    channel = await here.session.connection.create_l2cap_channel(LeCreditBasedChannelSpec(psm=0x90, mtu=512, mps=247))
    received: list[bytes] = []
    channel.sink = received.append
    for octet in (1, 2, 3):
        channel.write(bytes([octet]))
    await channel.drain()
    async with asyncio.timeout(30):
        while len(received) < 2:
            await asyncio.sleep(0.02)
    assert received == [b"\x01", b"\x03"]


async def test_over_http(virtual: Stage, handles: dict[str, int]) -> None:
    program = await virtual.run(FAULTY, "--http", "127.0.0.1:0")
    place = await program.event("http")
    client = Client(place.raw["host"], place.raw["port"])
    session = await virtual.connect()
    armed = await client.post("/v1/faults", {"on": {"read": "level"}, "do": {"error": "0x80"}, "times": 1})
    assert armed.status == 201
    assert armed.json["id"] == "fault-1"
    assert await session.error(read(handles["level"])) == 0x80
    listed = (await client.get("/v1/faults")).json["faults"]
    assert [(entry["seen"], entry["fired"], entry["spent"]) for entry in listed] == [(1, 1, True)]
    refused = await client.post("/v1/faults", {"on": {"read": "nothing"}, "do": "ignore"})
    assert refused.status == 400
    assert "there is no characteristic 'nothing'" in refused.json["error"]
    assert (await client.delete("/v1/faults/fault-1")).status == 200
    assert (await client.delete("/v1/faults/fault-1")).status == 404
    assert await session.read(handles["level"]) == b"\x07"


async def test_what_a_controller_cannot_do_is_said() -> None:
    """A controller of version 4.0 has one PHY, so the fault that keeps changing it is impossible there."""
    fault = "id: f, on: connected, do: { flood: { with: phy } }"
    ended = await run_program("run", "battery", "--preset", "4.0", "--fault", fault, "--json", "--for", "1s")
    told = [line for line in ended.output.splitlines() if '"impossible"' in line]
    assert len(told) == 1 and json.loads(told[0])["id"] == "f" and "no PHY other than LE 1M" in told[0]
    ended = await run_program("run", "battery", "--fault", fault, "--json", "--for", "1s")
    assert '"impossible"' not in ended.output
