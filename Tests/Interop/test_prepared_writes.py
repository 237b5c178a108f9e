"""Long and reliable writes: Prepare Write and Execute Write."""

from __future__ import annotations

import pytest
from bumble import att

from conftest import EVERYTHING, Stage
from support.attributes import handles_by_id
from support.program import describe

CANCEL = att.ATT_Execute_Write_Request(flags=0x00)
EXECUTE = att.ATT_Execute_Write_Request(flags=0x01)


@pytest.fixture
async def handles() -> dict[str, int]:
    return handles_by_id(await describe(EVERYTHING))


@pytest.mark.parametrize("mtu", [23, 185])
async def test_long_write(stage: Stage, handles: dict[str, int], mtu: int) -> None:
    value = bytes((number * 3) & 0xFF for number in range(512))
    await stage.run()
    session = await stage.connect(mtu=mtu)
    for offset in range(0, len(value), mtu - 5):
        await session.prepare(handles["storage"], offset, value[offset : offset + mtu - 5])
    await session.expect(EXECUTE)
    assert await session.read(handles["storage"]) == value


async def test_nothing_is_written_before_execute(virtual: Stage, handles: dict[str, int]) -> None:
    await virtual.run()
    session = await virtual.connect()
    await session.write(handles["storage"], b"before")
    await session.prepare(handles["storage"], 0, b"after!")
    assert await session.read(handles["storage"]) == b"before"
    await session.expect(EXECUTE)
    assert await session.read(handles["storage"]) == b"after!"


async def test_reliable_write_of_two_values(stage: Stage, handles: dict[str, int]) -> None:
    await stage.run()
    session = await stage.connect(mtu=100)
    await session.prepare(handles["storage"], 0, b"one ")
    await session.prepare(handles["ledger"], 0, b"two")
    await session.prepare(handles["storage"], 4, b"and more")
    await session.expect(EXECUTE)
    assert await session.read(handles["storage"]) == b"one and more"
    assert await session.read(handles["ledger"]) == b"two"


async def test_cancel_drops_the_queue(stage: Stage, handles: dict[str, int]) -> None:
    await stage.run()
    session = await stage.connect()
    await session.write(handles["storage"], b"kept")
    await session.prepare(handles["storage"], 0, b"dropped")
    await session.expect(CANCEL)
    assert await session.read(handles["storage"]) == b"kept"
    await session.expect(EXECUTE)
    assert await session.read(handles["storage"]) == b"kept"


async def test_offset_beyond_the_value(virtual: Stage, handles: dict[str, int]) -> None:
    await virtual.run()
    session = await virtual.connect()
    await session.write(handles["storage"], b"abc")
    await session.prepare(handles["storage"], 10, b"gap")
    assert await session.error(EXECUTE) == att.ATT_INVALID_OFFSET_ERROR
    assert await session.read(handles["storage"]) == b"abc"
    # The failed queue is gone.
    await session.expect(EXECUTE)
    assert await session.read(handles["storage"]) == b"abc"


async def test_one_bad_part_spoils_all(virtual: Stage, handles: dict[str, int]) -> None:
    await virtual.run()
    session = await virtual.connect()
    await session.write(handles["storage"], b"abc")
    await session.write(handles["ledger"], b"def")
    await session.prepare(handles["ledger"], 0, b"new")
    await session.prepare(handles["storage"], 10, b"gap")
    assert await session.error(EXECUTE) == att.ATT_INVALID_OFFSET_ERROR
    assert await session.read(handles["ledger"]) == b"def"


async def test_value_over_512_octets(virtual: Stage, handles: dict[str, int]) -> None:
    await virtual.run()
    session = await virtual.connect(mtu=517)
    await session.write(handles["storage"], b"abc")
    await session.prepare(handles["storage"], 0, bytes(512))
    await session.prepare(handles["storage"], 512, b"!")
    assert await session.error(EXECUTE) == att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR
    assert await session.read(handles["storage"]) == b"abc"


async def test_permission_is_checked_when_preparing(virtual: Stage, handles: dict[str, int]) -> None:
    await virtual.run()
    session = await virtual.connect()
    for handle, code in (
        (handles["twenty"], att.ATT_WRITE_NOT_PERMITTED_ERROR),
        (0xFFF0, att.ATT_INVALID_HANDLE_ERROR),
    ):
        request = att.ATT_Prepare_Write_Request(attribute_handle=handle, value_offset=0, part_attribute_value=b"x")
        assert await session.error(request) == code


async def test_full_queue(virtual: Stage, handles: dict[str, int]) -> None:
    """Whatever the length of the queue, it ends with 0x09 and does not end the program."""
    await virtual.run()
    session = await virtual.connect()
    await session.write(handles["storage"], b"abc")
    request = att.ATT_Prepare_Write_Request(
        attribute_handle=handles["storage"], value_offset=0, part_attribute_value=bytes(18)
    )
    for _ in range(5000):
        response = await session.request(request)
        if isinstance(response, att.ATT_Error_Response):
            assert response.error_code == att.ATT_PREPARE_QUEUE_FULL_ERROR
            break
    else:
        pytest.fail("the queue takes everything")
    await session.expect(CANCEL)
    assert await session.read(handles["storage"]) == b"abc"


async def test_queues_belong_to_their_connection(virtual: Stage, handles: dict[str, int]) -> None:
    await virtual.run()
    first, second = await virtual.connect(), await virtual.connect()
    await first.write(handles["storage"], b"nobody")
    await first.prepare(handles["storage"], 0, b"first!")
    await second.prepare(handles["storage"], 0, b"second")
    await second.expect(CANCEL)
    await first.expect(EXECUTE)
    assert await second.read(handles["storage"]) == b"first!"


async def test_queue_ends_with_the_connection(stage: Stage, handles: dict[str, int]) -> None:
    await stage.run()
    central = await stage.central()
    session = await central.connect(stage.address)
    await session.write(handles["storage"], b"kept")
    await session.prepare(handles["storage"], 0, b"dropped")
    await session.disconnect()
    session = await central.connect(stage.address)
    await session.expect(EXECUTE)
    assert await session.read(handles["storage"]) == b"kept"
