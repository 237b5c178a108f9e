"""The capture that is written while a profile runs."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path

import pytest

from conftest import Stage
from support import btsnoop

COMMAND, ACL_DATA, EVENT = 0x01, 0x02, 0x04
RESET = bytes.fromhex("01030c00")
RESET_COMPLETE = bytes.fromhex("030c00")


@pytest.fixture
async def records(stage: Stage, tmp_path: Path) -> list[btsnoop.Record]:
    """A run with one connection, a read and a few notifications."""
    path = tmp_path / "run.btsnoop"
    program = await stage.run_captured(path)
    session = await stage.connect(mtu=517)
    assert await session.read(await session.handle_of("FFF6")) == bytes(range(20))
    await session.subscribe(await session.handle_of("FFF4"))
    await session.arrivals(3)
    program.send_signal(signal.SIGTERM)
    assert await program.wait(5) == 0
    return btsnoop.read(path)


async def test_capture(records: list[btsnoop.Record]) -> None:
    assert len(records) > 20
    for record in records:
        assert record.original_length == len(record.octets)
        kind = record.octets[0]
        assert kind in (COMMAND, ACL_DATA, EVENT)
        # Commands are sent, events received, and both are marked as such.
        assert bool(record.flags & btsnoop.COMMAND_OR_EVENT) == (kind in (COMMAND, EVENT))
        if kind == COMMAND:
            assert not record.received
        if kind == EVENT:
            assert record.received
        assert record.flags & ~0x03 == 0
        assert record.drops == 0

    times = [record.time for record in records]
    assert times == sorted(times)
    assert abs(times[-1] / 1e6 - time.time()) < 60

    reset = next(index for index, record in enumerate(records) if record.octets == RESET)
    assert not records[reset].received
    answer = next(record for record in records[reset:] if record.octets[0] == EVENT and RESET_COMPLETE in record.octets)
    assert answer.octets[1] == 0x0E

    # There is data in both directions, including the read of the value.
    data = [record for record in records if record.octets[0] == ACL_DATA]
    assert {record.received for record in data} == {True, False}
    assert any(bytes(range(15)) in record.octets for record in data if not record.received)


async def test_file_is_complete_after_a_crash(virtual: Stage, tmp_path: Path) -> None:
    """Captured packets are in the file even if the program is killed."""
    path = tmp_path / "run.btsnoop"
    program = await virtual.run_captured(path)
    await virtual.connect(mtu=517)
    await program.event("mtu")
    # A capture may lag slightly, because it is written in the background.
    deadline = time.monotonic() + 3
    while not any(record.octets[0] == ACL_DATA for record in tolerant(path)):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
    await program.kill()
    assert any(record.octets == RESET for record in tolerant(path))


def tolerant(path: Path) -> list[btsnoop.Record]:
    try:
        return btsnoop.read(path)
    except (AssertionError, btsnoop.struct.error):
        return []
