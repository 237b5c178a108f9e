"""Shipped profiles as Bumble's own clients of these services see them, and a watch that uses a phone based on Bumble."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from bumble import att
from bumble.profiles.ams import (
    AmsClient,
    EntityId,
    PlaybackState,
    PlayerAttributeId,
    QueueAttributeId,
    RemoteCommandId,
    RepeatMode,
    ShuffleMode,
    TrackAttributeId,
)
from bumble.profiles.battery_service import BatteryServiceProxy
from bumble.profiles.device_information_service import DeviceInformationServiceProxy
from bumble.profiles.gap import GenericAccessServiceProxy
from bumble.profiles.heart_rate_service import HeartRateService, HeartRateServiceProxy

from conftest import Stage
from support.phone import Phone
from support.thing import Thing, play

NOTIFICATION_SOURCE = "9FBF120D-6301-42D9-8C58-25E699A21DBD"
CONTROL_POINT = "69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9"
DATA_SOURCE = "22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB"
NOON = bytes.fromhex("e8070c18 0c0000 02 00 00")


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


async def becomes(read: Callable[[], Awaitable[bytes]], expected: bytes, timeout: float = 15) -> None:
    async with asyncio.timeout(timeout):
        while (value := await read()) != expected:
            assert len(value) <= 64
            await asyncio.sleep(0.05)


# Services of the SIG


async def test_heart_rate_client(virtual: Stage) -> None:
    thing = await play(virtual, "heart-rate")
    thing.session.shares = True
    proxy = await thing.session.peer.discover_service_and_create_proxy(HeartRateServiceProxy)
    assert proxy and proxy.body_sensor_location and proxy.heart_rate_control_point
    location = await proxy.body_sensor_location.read_value()
    assert location == HeartRateService.BodySensorLocation.CHEST
    measured: asyncio.Queue[HeartRateService.HeartRateMeasurement] = asyncio.Queue()
    await proxy.heart_rate_measurement.subscribe(measured.put_nowait)
    first = await asyncio.wait_for(measured.get(), 30)
    assert 62 <= first.heart_rate <= 148 and first.sensor_contact_detected
    assert all(0.3 < interval < 1.1 for interval in first.rr_intervals or [])
    await proxy.reset_energy_expended()
    with pytest.raises(att.ATT_Error) as failure:
        await proxy.heart_rate_control_point.write_value(2, with_response=True)
    assert failure.value.error_code == 0x80


@pytest.mark.parametrize("profile, level", [("hid-keyboard", None), ("kitchen-scale", 70), ("bike-light", 90)])
async def test_battery_client(virtual: Stage, profile: str, level: int | None) -> None:
    thing = await play(virtual, profile, pair=level is None)
    proxy = await thing.session.peer.discover_service_and_create_proxy(BatteryServiceProxy)
    assert proxy
    assert await proxy.battery_level.read_value() in ([level] if level else [99, 100])


async def test_device_information_client(virtual: Stage) -> None:
    thing = await play(virtual, "thermostat")
    proxy = await thing.session.peer.discover_service_and_create_proxy(DeviceInformationServiceProxy)
    assert proxy and proxy.model_number and proxy.manufacturer_name and proxy.firmware_revision
    assert await proxy.manufacturer_name.read_value() == "Understudy"
    assert await proxy.model_number.read_value() == "Thermostat 1"
    assert await proxy.firmware_revision.read_value() == "1.0.0"
    assert proxy.serial_number is None


@pytest.mark.parametrize(
    "profile, name, appearance",
    [
        ("hid-keyboard", "HID Keyboard", (15, 1)),
        ("proximity", "Proximity Tag", (8, 0)),
        ("smart-watch", "Watch", (3, 2)),
    ],
)
async def test_generic_access_client(virtual: Stage, profile: str, name: str, appearance: tuple[int, int]) -> None:
    thing = await play(virtual, profile)
    proxy = await thing.session.peer.discover_service_and_create_proxy(GenericAccessServiceProxy)
    assert proxy and proxy.device_name and proxy.appearance
    assert await proxy.device_name.read_value() == name
    found = await proxy.appearance.read_value()
    assert (found.category, found.subcategory) == appearance


# Apple Media Service


async def media(stage: Stage, *, mtu: int | None = 185) -> tuple[Thing, AmsClient]:
    thing = await play(stage, "ams", pair=True, mtu=mtu)
    thing.session.shares = True
    client = await AmsClient.for_peer(thing.session.peer)
    assert client
    await client.start()
    return thing, client


async def test_player(virtual: Stage) -> None:
    thing, client = await media(virtual)
    await until(lambda: len(client.supported_commands) == 11)
    assert RemoteCommandId.LIKE_TRACK in client.supported_commands
    assert RemoteCommandId.SKIP_FORWARD not in client.supported_commands
    await client.observe(EntityId.PLAYER, list(PlayerAttributeId))
    await client.observe(EntityId.QUEUE, list(QueueAttributeId))
    await client.observe(EntityId.TRACK, list(TrackAttributeId))
    await until(lambda: client.track_duration == 240)
    assert (client.player_name, client.player_volume) == ("Music", 0.5)
    assert client.player_playback_info.playback_state == PlaybackState.PAUSED
    assert (client.queue_index, client.queue_count) == (0, 3)
    assert (client.queue_shuffle_mode, client.queue_repeat_mode) == (ShuffleMode.OFF, RepeatMode.ALL)
    assert (client.track_artist, client.track_album) == ("Clara Schumann", "Piano Works")
    await client.play()
    await until(lambda: client.player_playback_info.playback_state == PlaybackState.PLAYING)
    assert client.player_playback_info.playback_rate == 1
    await client.volume_up()
    await until(lambda: client.player_volume == 9 / 16)
    await client.advance_shuffle_mode()
    await until(lambda: client.queue_shuffle_mode == ShuffleMode.ONE)
    await client.advance_repeat_mode()
    await until(lambda: client.queue_repeat_mode == RepeatMode.OFF)
    await client.next_track()
    await until(lambda: client.queue_index == 1 and client.track_title.startswith("Violin Concerto"))
    await client.previous_track()
    await client.previous_track()
    # A podcast, which supports skipping by 15 s.
    await until(lambda: RemoteCommandId.SKIP_FORWARD in client.supported_commands)
    await until(lambda: client.queue_index == 2 and client.track_album == "")
    await client.skip_forward()
    await until(lambda: client.player_playback_info.elapsed_time >= 15)
    # The user touches the phone.
    await thing.press("pause")
    await until(lambda: client.player_playback_info.playback_state == PlaybackState.PAUSED)


async def test_updates_are_cut_and_read_as_a_whole(virtual: Stage) -> None:
    """The update's flag says that it is truncated, and Bumble reads the rest with Entity Attribute."""
    thing, client = await media(virtual, mtu=None)
    await client.observe(EntityId.TRACK, [TrackAttributeId.ARTIST])
    await until(lambda: client.track_artist == "Clara Schumann")
    await client.next_track()
    await until(lambda: client.track_artist == "Joseph Bologne, Chevalier de Saint-Georges")
    cut = thing.session.values(thing.handle("ams-entity-update"))[-1]
    assert cut == bytes([2, 0, 1]) + b"Joseph Bologne, C" and len(cut) == 20
    # Only the requested attributes are sent.
    assert {value[:2] for value in thing.session.values(thing.handle("ams-entity-update"))} == {bytes([2, 0])}


async def test_media_errors(virtual: Stage) -> None:
    """Invalid State, Invalid Command and Absent Attribute."""
    thing = await play(virtual, "ams", pair=True)
    assert await thing.error("ams-entity-update", b"\x00\x00") == 0xA0
    await thing.subscribe("ams-entity-update")
    for value in (b"", b"\x00", b"\x03\x00"):
        assert await thing.error("ams-entity-update", value) == 0xA1
    for value in (b"", b"\x0e", b"\x00\x00", b"\x09", b"\x0d"):
        assert await thing.error("ams-remote-command", value) == 0xA1
    for value in (b"\x00", b"\x03\x00", b"\x02\x04", b"\x00\x00\x00"):
        assert await thing.error("ams-entity-attribute", value) == 0xA1
    assert await thing.error("ams-entity-attribute", b"\x00\x03") == 0xA2
    await thing.write("ams-remote-command", b"\x04")
    await becomes(lambda: thing.read("queue-index"), b"2")
    assert await thing.error("ams-entity-attribute", b"\x02\x01") == 0xA2
    await thing.write("ams-entity-attribute", b"\x02\x02")
    assert await thing.read("ams-entity-attribute") == b"Episode 12: Bernoulli Numbers"


async def test_media_needs_a_bond(virtual: Stage) -> None:
    thing = await play(virtual, "ams")
    for name in ("ams-remote-command", "ams-entity-update", "ams-entity-attribute"):
        assert await thing.error(name, b"\x00\x00") == att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR


# The watch


@pytest.mark.parametrize("mtu", [23, 185])
async def test_watch(virtual: Stage, mtu: int) -> None:
    phones: list[Phone] = []
    thing = await play(
        virtual,
        "smart-watch",
        pair=True,
        mtu=mtu,
        prepare=lambda central: phones.append(Phone(central.device, NOON)),
    )
    (phone,) = phones
    connection, device = thing.session.connection, thing.central.device
    # It has subscribed, and requested the player's attributes, although the phone refused it before.
    await until(lambda: sorted(phone.wanted) == [b"\x00\x01", b"\x02\x02"])
    for _ in range(100):
        await phone.tell(connection, 7, "Grace Hopper", "The bug was a moth, in relay 70 of panel F.")
        if await thing.read("notification-title"):
            break
        await asyncio.sleep(0.1)
    await becomes(lambda: thing.read("notification-title"), b"Grace Hopper")
    await becomes(lambda: thing.read("notification-message"), b"The bug was a moth, in relay 70 of panel F.")
    # Several at once: all are requested, and the last one stays.
    for uid, title in [(8, "Ada"), (9, "Charles"), (10, "Mary")]:
        await phone.tell(connection, uid, title, f"{title}'s message, which takes more than one notification")
    await becomes(lambda: thing.read("notification-title"), b"Mary")
    await becomes(lambda: thing.read("notification-message"), b"Mary's message, which takes more than one notification")
    await thing.press("positive")
    assert await asyncio.wait_for(phone.actions.get(), 30) == bytes([2, 10, 0, 0, 0, 0])
    await thing.press("negative")
    assert await asyncio.wait_for(phone.actions.get(), 30) == bytes([2, 10, 0, 0, 0, 1])
    # A removed one is not requested.
    await phone.tell(connection, 10, "Gone", "", event=2)
    await device.notify_subscriber(connection, phone.update, b"\x02\x02\x00Three Romances")
    await device.notify_subscriber(connection, phone.update, b"\x00\x01\x00" + b"1,1.0,0.0")
    await becomes(lambda: thing.read("track"), b"Three Romances")
    await becomes(lambda: thing.read("is-playing"), b"\x01")
    assert await thing.read("notification-title") == b"Mary"
    for button, command in [("play-pause", b"\x02"), ("next", b"\x03")]:
        await thing.press(button)
        assert await asyncio.wait_for(phone.commands.get(), 30) == command
    # Its clock continues from the phone's: 2024-12-24, at noon.
    assert (await thing.read("current-time"))[:6] == NOON[:6]


async def test_consent_is_withdrawn(virtual: Stage) -> None:
    """The phone's user withdraws consent: the watch reports it, continues with the rest, and gets notifications again later."""
    phones: list[Phone] = []
    thing = await play(
        virtual, "smart-watch", pair=True, prepare=lambda central: phones.append(Phone(central.device, NOON))
    )
    (phone,) = phones
    connection = thing.session.connection
    await until(lambda: sorted(phone.wanted) == [b"\x00\x01", b"\x02\x02"])

    async def shows(uid: int, title: str) -> None:
        for _ in range(100):
            await phone.tell(connection, uid, title, "")
            if await thing.read("notification-title") == title.encode():
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"the watch does not show {title}")

    async def says(step: str, reason: str) -> None:
        await thing.program.event("remote-step", step=step, where=lambda event: reason in event.get("reason", ""))

    await shows(1, "Ada")
    # The control point refuses the watch's requests, while the service still exists.
    phone.consents = False
    await phone.tell(connection, 2, "Secret", "")
    await says(f"write {CONTROL_POINT}", "Insufficient Authorization")
    phone.consents = True
    await shows(3, "Grace")
    # The service is removed: both subscriptions to it end, and the watch searches for it again.
    await phone.offer_notifications(connection, False)
    for source in (NOTIFICATION_SOURCE, DATA_SOURCE):
        await says(f"subscribe {source}", "services have changed")
        await says(f"subscribe {source}", "no such characteristic")
    # The player still works.
    await thing.press("next")
    assert await asyncio.wait_for(phone.commands.get(), 10) == b"\x03"
    await phone.offer_notifications(connection, True)
    await shows(4, "Mary")
