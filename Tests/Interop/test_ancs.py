"""The notifications of the shipped phone, read by Bumble's own ANCS client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from bumble import att
from bumble.device import Peer
from bumble.profiles.ancs import (
    ActionId,
    AncsClient,
    AppAttributeId,
    CategoryId,
    CommandError,
    ErrorCode,
    EventFlags,
    EventId,
    Notification,
    NotificationAttributeId,
)

from conftest import Stage
from support.central import Session
from support.program import SHIPPED_PROFILES

ANCS = SHIPPED_PROFILES / "ancs.yaml"
MAIL = 1
CALL = 2
NOTIFICATION_SOURCE = "9FBF120D-6301-42D9-8C58-25E699A21DBD"
CONTROL_POINT = "69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9"
DATA_SOURCE = "22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB"
TWIN_NOTIFICATION_SOURCE = "A0000011-7C4D-4B0E-9E4B-1F6E2A1B9C00"


class Listener:
    """The notifications that a client receives, in order."""

    def __init__(self, client: AncsClient) -> None:
        self.heard: list[Notification] = []
        self._arrival = asyncio.Event()
        client.on(AncsClient.EVENT_NOTIFICATION, self._on_notification)

    def _on_notification(self, notification: Notification) -> None:
        self.heard.append(notification)
        self._arrival.set()

    async def wait(self, accept: Callable[[Notification], bool], timeout: float = 15) -> Notification:
        async with asyncio.timeout(timeout):
            while True:
                for notification in self.heard:
                    if accept(notification):
                        return notification
                self._arrival.clear()
                await self._arrival.wait()


async def start(stage: Stage, *, mtu: int | None = None) -> tuple[AncsClient, Listener]:
    # Not a Session, which consumes the PDUs that the server sends by itself.
    central = await stage.central()
    peer = Peer(await asyncio.wait_for(central.device.connect(stage.address), 30))
    await asyncio.wait_for(peer.connection.pair(), 30)
    if mtu is not None:
        await peer.request_mtu(mtu)
    client = await AncsClient.for_peer(peer)
    assert client
    listener = Listener(client)
    await asyncio.wait_for(client.start(), 30)
    return client, listener


@pytest.mark.parametrize("mtu", [None, 517])
async def test_existing_mail(stage: Stage, mtu: int | None) -> None:
    await stage.run(ANCS)
    client, listener = await start(stage, mtu=mtu)
    mail = await listener.wait(lambda notification: notification.notification_uid == MAIL)
    assert mail.event_id == EventId.NOTIFICATION_ADDED
    assert mail.category_id == CategoryId.EMAIL
    assert mail.category_count == 1
    assert mail.event_flags == EventFlags.SILENT | EventFlags.PRE_EXISTING | EventFlags.NEGATIVE_ACTION
    attributes = await asyncio.wait_for(
        client.get_notification_attributes(
            MAIL,
            [
                NotificationAttributeId.APP_IDENTIFIER,
                (NotificationAttributeId.TITLE, 3),
                (NotificationAttributeId.MESSAGE, 0xFFFF),
                NotificationAttributeId.MESSAGE_SIZE,
                NotificationAttributeId.DATE,
                NotificationAttributeId.POSITIVE_ACTION_LABEL,
                NotificationAttributeId.NEGATIVE_ACTION_LABEL,
            ],
        ),
        10,
    )
    app, title, message, size, _, positive, negative = [attribute.value for attribute in attributes]
    assert (app, title, positive, negative) == ("com.apple.mobilemail", "Ada", "", "Clear")
    # Much longer than one notification holds.
    assert isinstance(message, str) and message.startswith("The engine weaves") and len(message.encode()) == size
    names = await asyncio.wait_for(client.get_app_attributes(app, [AppAttributeId.DISPLAY_NAME]), 30)
    assert [name.value for name in names] == ["Mail"]


async def test_errors(virtual: Stage) -> None:
    await virtual.run(ANCS)
    client, _ = await start(virtual)
    for request, code in [
        (client.get_notification_attributes(99, [NotificationAttributeId.DATE]), ErrorCode.INVALID_PARAMETER),
        (client.get_app_attributes("com.example.none", [AppAttributeId.DISPLAY_NAME]), ErrorCode.INVALID_PARAMETER),
        (client.perform_positive_action(MAIL), ErrorCode.ACTION_FAILED),
    ]:
        with pytest.raises(CommandError) as failure:
            await asyncio.wait_for(request, 30)
        assert failure.value.error_code == code


async def test_call_is_declined(virtual: Stage) -> None:
    await virtual.run(ANCS)
    client, listener = await start(virtual)
    call = await listener.wait(lambda notification: notification.notification_uid == CALL)
    assert call.category_id == CategoryId.INCOMING_CALL
    assert EventFlags.POSITIVE_ACTION in call.event_flags and EventFlags.NEGATIVE_ACTION in call.event_flags
    await asyncio.wait_for(client.perform_action(CALL, ActionId.NEGATIVE), 30)
    removed = await listener.wait(lambda notification: notification.event_id == EventId.NOTIFICATION_REMOVED)
    assert removed.notification_uid == CALL


async def paired(stage: Stage) -> Session:
    session = await stage.connect()
    await asyncio.wait_for(session.connection.pair(), 30)
    return session


async def test_only_for_who_has_paired(virtual: Stage) -> None:
    await virtual.run(ANCS)
    session = await virtual.connect()
    for uuid in (TWIN_NOTIFICATION_SOURCE, NOTIFICATION_SOURCE, DATA_SOURCE):
        configuration = await session.configuration_of(await session.handle_of(uuid))
        request = att.ATT_Write_Request(attribute_handle=configuration, attribute_value=b"\x01\x00")
        assert await session.error(request) == att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR
    command = att.ATT_Write_Request(attribute_handle=await session.handle_of(CONTROL_POINT), attribute_value=b"\x00")
    assert await session.error(command) == att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR


async def test_the_twin_says_the_same(virtual: Stage) -> None:
    await virtual.run(ANCS)
    session = await paired(virtual)
    source = await session.handle_of(TWIN_NOTIFICATION_SOURCE)
    await session.subscribe(source)
    ((_, pdu),) = await session.arrivals(1, source)
    assert pdu.attribute_value == bytes([0, 0x15, 6, 1, 1, 0, 0, 0])


async def test_pending_authorization(virtual: Stage, tmp_path_factory: pytest.TempPathFactory) -> None:
    profile = tmp_path_factory.mktemp("ancs") / "pending.yaml"
    profile.write_text(ANCS.read_text().replace("authorization: granted", "authorization: pending"))
    await virtual.run(profile)
    session = await paired(virtual)
    source = await session.handle_of(TWIN_NOTIFICATION_SOURCE)
    request = att.ATT_Write_Request(attribute_handle=source + 1, attribute_value=b"\x01\x00")
    assert await session.error(request) == att.ATT_INSUFFICIENT_AUTHORIZATION_ERROR
