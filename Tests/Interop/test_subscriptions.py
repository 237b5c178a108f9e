"""Notifications and indications."""

from __future__ import annotations

import asyncio

import pytest
from bumble import att

from conftest import EVERYTHING, Stage
from support.attributes import handles_by_id
from support.central import Session
from support.program import describe

NOTIFICATIONS = 0x0001
INDICATIONS = 0x0002
TICKER_PERIOD = 0.050


@pytest.fixture
async def handles() -> dict[str, int]:
    return handles_by_id(await describe(EVERYTHING))


async def test_nothing_comes_without_subscription(virtual: Stage, handles: dict[str, int]) -> None:
    await virtual.run()
    silent, listening = await virtual.connect(), await virtual.connect()
    await listening.subscribe(handles["ticker"])
    await listening.arrivals(5)
    # Earlier values for the unsubscribed central would have arrived before this response.
    await silent.read(handles["twenty"])
    assert silent.received == []


async def test_notifications_at_the_rate_of_the_profile(stage: Stage, handles: dict[str, int]) -> None:
    program = await stage.run()
    session = await stage.connect(mtu=517)
    await session.subscribe(handles["ticker"])
    await program.event("subscribed")
    count = 21
    arrivals = await session.arrivals(count, handles["ticker"])
    assert all(isinstance(pdu, att.ATT_Handle_Value_Notification) for _, pdu in arrivals)
    # A sequence number and fixed octets: nothing is lost, repeated or out of order.
    first = int.from_bytes(arrivals[0][1].attribute_value[:4], "little")
    assert [pdu.attribute_value for _, pdu in arrivals] == [
        (first + index).to_bytes(4, "little") + bytes(range(4, 8)) for index in range(count)
    ]
    # The tolerance is for a busy machine; a period that is wrong by a factor is still detected.
    duration = arrivals[-1][0] - arrivals[0][0]
    expected = (count - 1) * TICKER_PERIOD
    assert 0.7 * expected < duration < 1.5 * expected
    await program.count("notified", count)


async def test_unsubscribing_stops_notifications(stage: Stage, handles: dict[str, int]) -> None:
    await stage.run()
    session = await stage.connect()
    configuration = await session.subscribe(handles["ticker"])
    assert await session.read(configuration) == b"\x01\x00"
    await session.arrivals(2)
    await session.write(configuration, b"\x00\x00")
    assert await session.read(configuration) == b"\x00\x00"
    session.received.clear()
    with pytest.raises(TimeoutError):
        await session.arrivals(1, timeout=6 * TICKER_PERIOD)


async def test_indications_are_confirmed_one_by_one(stage: Stage, handles: dict[str, int]) -> None:
    await stage.run()
    session = await stage.connect()
    await session.subscribe(handles["bell"], INDICATIONS)
    arrivals = await session.arrivals(4, handles["bell"])
    assert all(isinstance(pdu, att.ATT_Handle_Value_Indication) for _, pdu in arrivals)
    assert all(pdu.attribute_value == b"\xbe\x11" for _, pdu in arrivals)


async def test_no_indication_before_the_confirmation(stage: Stage, handles: dict[str, int]) -> None:
    await stage.run()
    session = await stage.connect()
    session.confirms = False
    await session.subscribe(handles["bell"], INDICATIONS)
    await session.arrivals(1, handles["bell"])
    # Four periods without a confirmation: requests are still answered, no second indication comes.
    with pytest.raises(TimeoutError):
        await session.arrivals(2, handles["bell"], timeout=0.4)
    assert await session.read(handles["twenty"]) == bytes(range(20))
    session.confirm()
    await session.arrivals(2, handles["bell"])


async def test_notifications_pass_an_unconfirmed_indication(virtual: Stage, handles: dict[str, int]) -> None:
    await virtual.run()
    session = await virtual.connect()
    session.confirms = False
    await session.subscribe(handles["bell"], INDICATIONS)
    await session.arrivals(1, handles["bell"])
    await session.subscribe(handles["ticker"])
    await session.arrivals(4, handles["ticker"])
    assert len(session.values(handles["bell"])) == 1


async def test_subscriptions_end_with_the_connection(stage: Stage, handles: dict[str, int]) -> None:
    """A central that is not bonded starts again without subscriptions (Core 5.4 Vol 3 Part G 3.3.3.3)."""
    await stage.run()
    central = await stage.central()
    session = await central.connect(stage.address)
    await session.subscribe(handles["ticker"])
    await session.arrivals(2)
    await session.disconnect()
    session = await central.connect(stage.address)
    assert await session.read(await session.configuration_of(handles["ticker"])) == b"\x00\x00"
    with pytest.raises(TimeoutError):
        await session.arrivals(1, timeout=6 * TICKER_PERIOD)


async def test_eight_centrals_get_what_each_subscribed_to(stage: Stage, handles: dict[str, int]) -> None:
    """All eight combinations of three subscriptions, at the same time."""
    program = await stage.run()
    choices = {
        "ticker": (NOTIFICATIONS, att.ATT_Handle_Value_Notification),
        "bell": (INDICATIONS, att.ATT_Handle_Value_Indication),
    }
    sessions: list[tuple[Session, set[str]]] = []
    for number in range(8):
        session = await stage.connect(mtu=100 + number)
        wanted = {name for bit, name in enumerate(choices) if number >> bit & 1}
        sessions.append((session, wanted))
    assert len({event["connection"] for event in await program.count("connected", 8)}) == 8
    for session, wanted in sessions:
        for name in wanted:
            await session.subscribe(handles[name], choices[name][0])
    await asyncio.gather(*(session.arrivals(3, handles[name]) for session, wanted in sessions for name in wanted))
    for number, (session, wanted) in enumerate(sessions):
        assert await session.read(handles["twenty"]) == bytes(range(20))
        assert session.client.mtu == 100 + number
        seen = {(pdu.attribute_handle, type(pdu)) for _, pdu in session.received}
        assert seen == {(handles[name], choices[name][1]) for name in wanted}
        assert not session.disconnected.done()
