"""Reading and writing values."""

from __future__ import annotations

import pytest
from bumble import att

from conftest import EVERYTHING, Stage
from support.attributes import PROPERTY_BITS, characteristics, described, handles_by_id
from support.program import describe


@pytest.fixture
async def handles() -> dict[str, int]:
    return handles_by_id(await describe(EVERYTHING))


async def test_mtu_exchange(stage: Stage) -> None:
    program = await stage.run()
    session = await stage.connect()
    assert session.client.mtu == 23
    assert await session.exchange_mtu(517) == 517
    await program.event("mtu", mtu=517)


@pytest.mark.parametrize(("asked", "agreed"), [(23, 23), (100, 100), (600, 517)])
async def test_mtu_is_the_smaller_one(virtual: Stage, asked: int, agreed: int) -> None:
    await virtual.run()
    session = await virtual.connect()
    assert await session.exchange_mtu(asked) == agreed


@pytest.mark.parametrize("mtu", [23, 185, 517])
async def test_every_readable_value(stage: Stage, mtu: int) -> None:
    entries = characteristics(described(await describe(EVERYTHING)))
    readable = [entry for entry in entries if entry.properties & PROPERTY_BITS["read"] and entry.value is not None]
    assert {"long", "storage", "twenty", "ledger"} <= {entry.id for entry in readable}
    await stage.run()
    session = await stage.connect(mtu=mtu)
    for entry in readable:
        assert await session.read(entry.value_handle) == entry.value, entry.uuid


async def test_long_read_part_by_part(stage: Stage, handles: dict[str, int]) -> None:
    expected = next(
        entry.value for entry in characteristics(described(await describe(EVERYTHING))) if entry.id == "long"
    )
    assert expected is not None and len(expected) == 512
    await stage.run()
    session = await stage.connect()
    response = await session.expect(att.ATT_Read_Request(attribute_handle=handles["long"]))
    assert isinstance(response, att.ATT_Read_Response)
    value = response.attribute_value
    parts = 1
    while len(value) < len(expected):
        part = await session.expect(
            att.ATT_Read_Blob_Request(attribute_handle=handles["long"], value_offset=len(value))
        )
        assert isinstance(part, att.ATT_Read_Blob_Response)
        value += part.part_attribute_value
        parts += 1
    assert value == expected
    # Every response except the last is as long as the MTU of 23 permits.
    assert parts == 24


async def test_read_multiple(virtual: Stage, handles: dict[str, int]) -> None:
    await virtual.run()
    session = await virtual.connect(mtu=100)
    response = await session.expect(
        att.ATT_Read_Multiple_Request(set_of_handles=[handles["twenty"], handles["storage"]])
    )
    assert isinstance(response, att.ATT_Read_Multiple_Response)
    assert response.set_of_values == bytes(range(20)) + b"\x00"


@pytest.mark.parametrize("value", [b"", b"\x01", bytes(range(20)), bytes(512)], ids=len)
async def test_write_request_is_read_back(stage: Stage, handles: dict[str, int], value: bytes) -> None:
    program = await stage.run()
    session = await stage.connect(mtu=517)
    await session.write(handles["storage"], value)
    assert await session.read(handles["storage"]) == value
    await program.event("write")


async def test_write_commands_are_applied_in_order(stage: Stage, handles: dict[str, int]) -> None:
    await stage.run()
    session = await stage.connect(mtu=517)
    for number in range(100):
        await session.command(handles["storage"], number.to_bytes(4, "little"))
    # A request is answered after earlier commands (Core 5.4 Vol 3 Part F 3.3.2).
    assert await session.read(handles["storage"]) == (99).to_bytes(4, "little")


async def test_write_command_to_a_bad_handle_gets_no_answer(virtual: Stage, handles: dict[str, int]) -> None:
    await virtual.run()
    session = await virtual.connect(mtu=517)
    before = len(session.responses)
    await session.command(0xFFF0, b"\x01")
    await session.command(handles["twenty"], b"\x01")
    assert await session.read(handles["twenty"]) == bytes(range(20))
    assert [type(pdu) for pdu in session.responses[before:]] == [att.ATT_Read_Response]


async def test_values_are_shared_between_centrals(virtual: Stage, handles: dict[str, int]) -> None:
    await virtual.run()
    first = await virtual.connect(mtu=517)
    second = await virtual.connect(mtu=100)
    await first.write(handles["ledger"], b"from the first")
    assert await second.read(handles["ledger"]) == b"from the first"
    # Each connection keeps its own MTU.
    assert (first.client.mtu, second.client.mtu) == (517, 100)


async def test_values_of_a_program(virtual: Stage) -> None:
    """Examples/Programs: a program supplies the values, and receives a central's writes."""
    profile = EVERYTHING.parents[3] / "Examples" / "Programs" / "thermometer.yaml"
    handles = handles_by_id(await describe(profile))
    program = await virtual.run(profile, "--allow-programs")
    await program.event("program-started", program="sensor")
    session = await virtual.connect()
    # The first value, 21 °C; the next one comes a second later, or at once when the interval is written.
    await session.subscribe(handles["temperature"])
    await session.write(handles["interval"], (10).to_bytes(2, "little"))
    arrivals = await session.arrivals(3, handles["temperature"])
    values = [int.from_bytes(pdu.attribute_value, "little") / 100 for _, pdu in arrivals]
    assert values == sorted(values) and 21 <= values[0] < values[-1] < 25
