"""The same for asyncio, in one loop with Bumble."""

from __future__ import annotations

import asyncio
import inspect

import pytest
from bumble_client import Adapter, Client

from understudy import ExpectationFailed, Match, NotFound, StartFailed, aio, blocking

ACCESSORY = "battery"


async def test_start_and_stop() -> None:
    accessory = await aio.Accessory.start("battery")
    async with accessory:
        assert await accessory["battery-level"].read() == 100
    assert accessory.program.exit_code == 0


async def test_value_without_await(aio_accessory: aio.Accessory) -> None:
    level = aio_accessory["battery-level"]
    with pytest.raises(AttributeError, match=r"await accessory\['battery-level'\]\.set\(3\)"):
        level.value = 3
    with pytest.raises(AttributeError, match=r"\.read\(\)"):
        print(level.value)


async def test_central(aio_accessory: aio.Accessory) -> None:
    async with Adapter(aio_accessory.air.joining[0]) as adapter:
        assert await adapter.find_device_by_name(aio_accessory.name) is not None
        async with Client(adapter, aio_accessory.address) as client:
            await client.start_notify("2A19", lambda *_: None)
            connected, subscribed = await aio_accessory.expect_all(
                Match("connected"), Match("subscribed", characteristic="battery-level")
            )
            assert connected.connection == subscribed.connection
            # Both at the same time: one waits for an action of the central, and the other triggers it.
            expected = asyncio.create_task(aio_accessory.expect("read", characteristic="battery-level", value=42))
            await aio_accessory["battery-level"].set(42)
            assert await client.read_gatt_char("2A19") == b"\x2a"
            await expected
        await aio_accessory.expect("disconnected", code=0x13)


@pytest.mark.accessory(
    {
        "name": "Vault",
        "services": [
            {
                "uuid": "FFF0",
                "characteristics": [
                    {"uuid": "FFF1", "format": "u8", "properties": ["read"], "value": 0, "on-read": {"ask": True}}
                ],
            }
        ],
    }
)
async def test_rules_in_python(aio_accessory: aio.Accessory) -> None:
    async with Adapter(aio_accessory.air.joining[0]) as adapter, Client(adapter, aio_accessory.address) as client:
        async with aio_accessory.answering(lambda question: {"value": 42}, kind="read"):
            assert await client.read_gatt_char("FFF1") == b"\x2a"


async def test_failures(aio_accessory: aio.Accessory) -> None:
    with pytest.raises(NotFound):
        await aio_accessory["nope"].read()
    with pytest.raises(ExpectationFailed, match="expected 'write' within 0.01 s"):
        await aio_accessory.expect("write", within=0.01)
    await aio_accessory.expect_none("write", within=0.01)
    with pytest.raises(StartFailed, match="unknown key 'nonsense'") as caught:
        await aio.Accessory.start({"name": "A", "nonsense": 1})
    assert caught.value.code == 65


async def test_attached(aio_accessory: aio.Accessory) -> None:
    async with aio.Accessory.attach(str(aio_accessory.program.endpoint)) as other:
        await aio_accessory.stop_advertising("main")
        event = await other.expect("advertising-stopped")
        assert (await aio_accessory.expect("advertising-stopped")).raw == event.raw


async def test_several() -> None:
    async with aio.Program.start("battery", "heart-rate") as program:
        battery, belt = program.accessories
        await belt.stop_advertising("main")
        assert (await belt.expect("advertising-stopped")).accessory == "heart-rate"
        await battery.expect_none("advertising-stopped", within=0)


def test_faces_are_the_same() -> None:
    """Every blocking operation also exists for `await`, with the same names and parameters."""
    for name in blocking.__all__:
        one, other = getattr(blocking, name), getattr(aio, name)
        names = {entry for entry in dir(one) if not entry.startswith("_")}
        # Only operations that do not wait can be properties there, and `aio` itself is not needed.
        assert names - {entry for entry in dir(other)} <= {"value", "octets", "aio"}, name
        assert {entry for entry in dir(other) if not entry.startswith("_")} <= names, name
        for entry in names & set(dir(other)):
            ours, theirs = getattr(one, entry), getattr(other, entry)
            if inspect.isfunction(ours):
                assert inspect.signature(ours).parameters == inspect.signature(theirs).parameters, entry
                assert ours.__doc__ == theirs.__doc__, entry
                assert ours.__doc__, entry
