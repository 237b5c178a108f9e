"""Shipped profiles of tags, phones and vendor-specific accessories: their values, and their control points with all errors."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from pathlib import Path

import pytest
from bumble.core import AdvertisingData
from bumble.gatt import GATT_IMMEDIATE_ALERT_SERVICE, Characteristic, Service

from conftest import Stage
from support.attributes import described, discovered, flat
from support.channels import PSM_CHARACTERISTIC, open_channel
from support.controllers import LOOPBACK
from support.program import describe
from support.thing import Thing, play
from support.web import Client

LE_GENERAL_DISCOVERABLE = AdvertisingData.Flags.LE_GENERAL_DISCOVERABLE_MODE
BR_EDR_NOT_SUPPORTED = AdvertisingData.Flags.BR_EDR_NOT_SUPPORTED

# The initial values, computed by hand from the specifications and the comments of the profiles.
GOLDEN = {
    "find-me": {},
    "proximity": {"link-loss-level": "00", "tx-power-level": "00"},
    "alert-notification": {"supported-new-alert-category": "3a", "supported-unread-alert-category": "32"},
    "phone-alert-status": {"alert-status": "00", "ringer-setting": "01"},
    "bond-management": {"bond-management-features": "100c01"},
    "led-button": {"button": "00", "led": "00"},
    "thermostat": {"set-point": "3408", "mode": "01"},
    "light-bulb": {"power": "01", "brightness": "50", "colour": "ffb464", "effect": "00", "shown": "cc9050"},
    "bike-light": {"light-mode": "01", "minutes-left": "f202", "battery-level": "5a"},
    "kitchen-scale": {"minutes-until-off": "05", "battery-level": "46"},
    "toy-drone": {"battery-level": "5a"},
    "l2cap-files": {"listing": b"readme\nimage\nupload\n".hex()},
    "ams": {
        "player-name": b"Music".hex(),
        "playback-info": b"0,0.0,0.0".hex(),
        "volume": b"0.5".hex(),
        "queue-index": b"0".hex(),
        "queue-count": b"3".hex(),
        "shuffle-mode": b"0".hex(),
        "repeat-mode": b"2".hex(),
        "track-artist": b"Clara Schumann".hex(),
        "track-album": b"Piano Works".hex(),
        "track-title": b"Three Romances, Op. 11".hex(),
        "track-duration": b"240.0".hex(),
    },
    "mcumgr-smp": {
        "primary": (b"1.0.0".ljust(16, b"\0") + hashlib.sha256(b"1.0.0").digest() + b"\x01").hex(),
        "secondary": bytes(49).hex(),
        "firmware-revision": b"1.0.0".hex(),
    },
    "smart-watch": {"notification-title": "", "notification-message": "", "track": "", "is-playing": "00"},
}
PAIRED = {"phone-alert-status", "bond-management"}


@pytest.mark.parametrize("profile", GOLDEN)
async def test_database_and_values(virtual: Stage, profile: str) -> None:
    thing = await play(virtual, profile, pair=profile in PAIRED)
    assert flat(await discovered(thing.session)) == flat([service for service in thing.services if service.primary])
    assert {name: (await thing.read(name)).hex() for name in GOLDEN[profile]} == GOLDEN[profile]


@pytest.mark.parametrize("profile", GOLDEN)
async def test_advertising_data(virtual: Stage, profile: str) -> None:
    """It advertises one of its services, and that it is discoverable."""
    await virtual.run(profile)
    advertisement = await (await virtual.central()).find(virtual.address, active=False)
    assert advertisement.data.get(AdvertisingData.FLAGS) == LE_GENERAL_DISCOVERABLE | BR_EDR_NOT_SUPPORTED
    lists = (
        AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
        AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
    )
    named = {uuid for kind in lists for found in advertisement.data.get_all(kind) for uuid in found}
    assert named and named <= {service.uuid for service in described(await describe(profile))}


# Immediate Alert, Link Loss, Tx Power


async def test_key_finder(virtual: Stage) -> None:
    thing = await play(virtual, "find-me")
    for level, state in [(1, "beeping"), (2, "ringing"), (0, "quiet")]:
        await thing.command("immediate-alert-level", bytes([level]))
        await thing.state(state)
    # Reserved and overlong values are ignored (IAS 3.1).
    await thing.command("immediate-alert-level", b"\x03")
    await thing.command("immediate-alert-level", b"\x02\x00")
    await thing.command("immediate-alert-level", b"\x02")
    states = await thing.program.count("state", 4)
    assert [event["state"] for event in states] == ["beeping", "ringing", "quiet", "ringing"]
    await thing.press("stop")
    assert (await thing.program.count("state", 5))[4]["state"] == "quiet"


async def test_key_finder_finds_the_phone(virtual: Stage) -> None:
    """Find Me Locator: it writes the phone's alert level."""
    await virtual.run("find-me", "--http", f"{LOOPBACK}:0")
    central = await virtual.central()
    written: asyncio.Queue[bytes] = asyncio.Queue()

    class AlertLevel(Characteristic):  # type: ignore[type-arg]
        async def write_value(self, connection: object, value: bytes) -> None:
            written.put_nowait(bytes(value))

    level = AlertLevel(
        "2A06", Characteristic.Properties.WRITE_WITHOUT_RESPONSE, Characteristic.Permissions.WRITEABLE, b"\0"
    )
    central.device.add_services([Service(GATT_IMMEDIATE_ALERT_SERVICE, [level])])
    await central.connect(virtual.address)
    assert virtual.program
    client = Client(LOOPBACK, (await virtual.program.event("http"))["port"])
    for button, expected in [("find", b"\x02"), ("stop", b"\x00"), ("find", b"\x02")]:
        await client.post(f"/v1/buttons/{button}")
        assert await asyncio.wait_for(written.get(), 30) == expected


@pytest.mark.parametrize("level, state", [(1, "mild-alert"), (2, "high-alert")])
async def test_proximity_when_the_phone_is_lost(virtual: Stage, level: int, state: str) -> None:
    thing = await play(virtual, "proximity")
    assert await thing.error("link-loss-level", b"\x03") == 0x13
    assert await thing.error("link-loss-level", b"\x01\x00") == 0x0D
    await thing.write("link-loss-level", bytes([level]))
    assert await thing.read("link-loss-level") == bytes([level])
    # A central that disconnects is not lost.
    await thing.session.disconnect()
    await thing.again()
    assert {event["state"] for event in thing.program.named("state")} == {"quiet"}
    # Nothing passes over the air any longer, until the supervision timeout.
    assert (await thing.client.put("/v1/radio/default", {"reachable": False})).status == 200
    assert (await thing.program.event("disconnected", code=0x08))["connection"] == 0
    await thing.state(state)
    quiet = len(thing.program.named("state")) + 1
    await thing.press("stop")
    assert (await thing.program.count("state", quiet))[-1]["state"] == "quiet"


# Alert Notification


async def test_alerts_are_told_as_enabled(virtual: Stage) -> None:
    thing = await play(virtual, "alert-notification")
    await thing.subscribe("new-alert", "unread-alert-status")
    # Nothing is enabled yet.
    await thing.press("email")
    await thing.write("alert-control", bytes([4, 255]))
    await thing.write("alert-control", bytes([0, 1]))
    await thing.write("alert-control", bytes([4, 1]))
    assert await thing.values("new-alert", 1) == [b"\x01\x02Ada Lovelace"]
    await thing.press("email")
    await thing.press("call")
    assert await thing.values("new-alert", 2) == [b"\x01\x02Ada Lovelace", b"\x01\x03Ada Lovelace"]
    await thing.write("alert-control", bytes([0, 255]))
    await thing.press("message")
    assert (await thing.values("new-alert", 3))[2] == b"\x05\x01" + "Zoë".encode()
    await thing.write("alert-control", bytes([4, 255]))
    assert (await thing.values("new-alert", 6))[3:] == [
        b"\x01\x03Ada Lovelace",
        b"\x03\x01Grace Hopper",
        b"\x05\x01" + "Zoë".encode(),
    ]
    await thing.write("alert-control", bytes([2, 1]))
    await thing.press("email")
    await thing.press("missed-call")
    assert (await thing.values("new-alert", 7))[6] == b"\x04\x01Grace Hopper"


async def test_unread_alerts(virtual: Stage) -> None:
    thing = await play(virtual, "alert-notification")
    await thing.subscribe("new-alert", "unread-alert-status")
    await thing.write("alert-control", bytes([1, 255]))
    await thing.write("alert-control", bytes([5, 255]))
    assert await thing.values("unread-alert-status", 3) == [b"\x01\x03", b"\x04\x00", b"\x05\x00"]
    await thing.write("alert-control", bytes([3, 4]))
    await thing.press("missed-call")
    await thing.press("message")
    assert (await thing.values("unread-alert-status", 4))[3] == b"\x05\x01"
    await thing.press("read-all")
    assert (await thing.values("unread-alert-status", 6))[4:] == [b"\x01\x00", b"\x05\x00"]
    assert thing.so_far("new-alert") == 0


async def test_alert_control_errors(virtual: Stage) -> None:
    """ANS 1.5: 0xA0 is Command not supported."""
    thing = await play(virtual, "alert-notification")
    for value in (b"\x06\x01", b"\xff\xff", b"\x00\x02", b"\x04\x00", b"\x01\x03", b"\x05\x03"):
        assert await thing.error("alert-control", value) == 0xA0
    for value in (b"\x00", b"\x00\x01\x00", b""):
        assert await thing.error("alert-control", value) == 0x0D


# Phone Alert Status


async def test_ringer(virtual: Stage) -> None:
    thing = await play(virtual, "phone-alert-status", pair=True)
    await thing.subscribe("alert-status", "ringer-setting")
    await thing.press("call")
    assert await thing.next("alert-status", 0) == b"\x07"
    await thing.command("ringer-control-point", b"\x02")
    assert await thing.next("alert-status", 1) == b"\x06"
    await thing.press("hang-up")
    assert await thing.next("alert-status", 2) == b"\x00"
    # Muted once; the next call rings again.
    await thing.press("call")
    assert await thing.next("alert-status", 3) == b"\x07"
    await thing.command("ringer-control-point", b"\x01")
    assert await thing.next("ringer-setting", 0) == b"\x00"
    assert await thing.next("alert-status", 4) == b"\x06"
    # Reserved values are ignored.
    await thing.command("ringer-control-point", b"\x04")
    await thing.command("ringer-control-point", b"\x00")
    await thing.command("ringer-control-point", b"\x03")
    assert await thing.next("ringer-setting", 1) == b"\x01"
    assert await thing.next("alert-status", 5) == b"\x07"


# Bond Management


async def bonds(thing: Thing) -> int:
    return len((await thing.client.get("/v1/bonds")).json["bonds"])


async def test_bonds_are_deleted(virtual: Stage) -> None:
    thing = await play(virtual, "bond-management", pair=True)
    assert await bonds(thing) == 1
    assert await thing.error("bond-management-control-point", b"\x06") == 0x08
    assert await thing.error("bond-management-control-point", b"\x064712") == 0x08
    for opcode in (0x00, 0x01, 0x02, 0x04, 0x05, 0x07, 0x08, 0x0A):
        assert await thing.error("bond-management-control-point", bytes([opcode])) == 0x80
    assert await thing.error("bond-management-control-point", b"\x03\x00") == 0x81
    # Another central's bond is deleted, and its own stays.
    other = await (await virtual.central()).connect(virtual.address)
    await asyncio.wait_for(other.connection.pair(), 30)
    assert await bonds(thing) == 2
    await thing.write("bond-management-control-point", b"\x09")
    await thing.program.count("bond-removed", 1)
    assert await bonds(thing) == 1
    await thing.write("bond-management-control-point", b"\x03")
    await thing.program.count("bond-removed", 2)
    assert await bonds(thing) == 0


async def test_all_bonds_are_deleted(virtual: Stage) -> None:
    thing = await play(virtual, "bond-management", "--set", "code='0815'", pair=True)
    await thing.write("bond-management-control-point", b"\x060815")
    await thing.program.count("bond-removed", 1)
    assert await bonds(thing) == 0


# Vendors


async def test_led_and_button(virtual: Stage) -> None:
    thing = await play(virtual, "led-button")
    await thing.subscribe("button")
    await thing.write("led", b"\x01")
    assert await thing.read("led") == b"\x01"
    assert await thing.error("led", b"\x02") == 0x13
    assert await thing.error("led", b"\x01\x01") == 0x0D
    await thing.press("push")
    assert await thing.values("button", 2) == [b"\x01", b"\x00"]


async def test_thermostat_follows_its_set_point(virtual: Stage) -> None:
    thing = await play(virtual, "thermostat", pair=True)
    await thing.subscribe("temperature", "action")
    # About half a degree above room temperature.
    room = int.from_bytes(await thing.read("temperature"), "little")
    wanted = (room + 79) // 50 * 50
    await thing.write("set-point", wanted.to_bytes(2, "little"))
    async with asyncio.timeout(30):
        while wanted.to_bytes(2, "little") not in thing.session.values(thing.handle("temperature")):
            await asyncio.sleep(0.05)
    rising = [int.from_bytes(value, "little") for value in thing.session.values(thing.handle("temperature"))]
    rising = [room, *rising[: rising.index(wanted) + 1]]
    assert all(0 < later - earlier <= 20 for earlier, later in itertools.pairwise(rising))
    # It is off, and the room cools.
    seen = thing.so_far("temperature")
    async with asyncio.timeout(30):
        while thing.session.values(thing.handle("action"))[-1:] != [b"\x00"]:
            await asyncio.sleep(0.05)
    assert int.from_bytes(await thing.next("temperature", seen), "little") < wanted
    for value, error in [(450, 0xFF), (3050, 0xFF), (2010, 0x13)]:
        assert await thing.error("set-point", value.to_bytes(2, "little")) == error
    assert await thing.error("set-point", b"\x01") == 0x0D
    assert await thing.error("mode", b"\x04") == 0x13


async def test_lamp(virtual: Stage) -> None:
    thing = await play(virtual, "light-bulb")
    await thing.subscribe("shown")
    await thing.write("brightness", b"\x32")
    assert await thing.next("shown", 0) == bytes.fromhex("7f5a32")
    await thing.write("colour", bytes.fromhex("00ff80"))
    assert await thing.next("shown", 1) == bytes.fromhex("007f40")
    await thing.press("switch")
    assert await thing.next("shown", 2) == bytes(3)
    await thing.write("power", b"\x01")
    assert await thing.next("shown", 3) == bytes.fromhex("007f40")
    for value in (b"\x00", b"\x65"):
        assert await thing.error("brightness", value) == 0xFF
    assert await thing.error("effect", b"\x03") == 0x13
    assert await thing.error("colour", b"\x01\x02") == 0x0D
    await thing.write("effect", b"\x01")
    assert (await thing.values("shown", 8))[4:] == [bytes(3), bytes.fromhex("007f40")] * 2
    await thing.write("effect", b"\x02")
    seen = thing.so_far("shown")
    rainbow = (await thing.values("shown", seen + 5))[seen:]
    assert len({colour for colour in rainbow if max(colour) == 127}) >= 3


async def test_bike_light(virtual: Stage) -> None:
    thing = await play(virtual, "bike-light")
    await thing.subscribe("luminance", "light-mode")
    await thing.write("light-mode", b"\x02")
    assert await thing.read("luminance") == b"\x28"
    assert int.from_bytes(await thing.read("minutes-left"), "little") in (214, 215)
    await thing.press("brake")
    assert await thing.read("luminance") == b"\x64"
    assert await thing.error("light-mode", b"\x04") == 0x13
    await thing.press("press")
    assert await thing.read("light-mode") == b"\x03"
    await thing.press("press")
    assert await thing.read("light-mode") == b"\x00"
    assert (await thing.read("luminance"), await thing.read("minutes-left")) == (b"\x00", b"\xff\xff")
    # The first code is the valid one.
    assert await thing.error("light-code", b"12a4\n") == 0x13
    await thing.write("light-code", b"12")
    await thing.write("light-code", b"34\n")
    await thing.write("light-mode", b"\x01")
    await thing.session.disconnect()
    await thing.again()
    assert await thing.error("light-mode", b"\x02") == 0x08
    assert await thing.error("light-code", b"4321\n") == 0x81
    await thing.write("light-code", b"1234\n")
    await thing.write("light-mode", b"\x02")


async def test_files_over_channels(virtual: Stage, tmp_path: Path) -> None:
    readme, image = tmp_path / "readme", tmp_path / "image"
    readme.write_bytes(b"Read me.\n")
    image.write_bytes(bytes(range(256)) * 80)
    thing = await play(virtual, "l2cap-files", "--set", f"readme={readme}", "--set", f"image={image}")
    psms = [
        int.from_bytes(await thing.session.read(entry.value_handle), "little")
        for service in thing.services
        for entry in service.characteristics
        if str(entry.uuid).upper().startswith(PSM_CHARACTERISTIC)
    ]
    assert len(psms) == 3
    for psm, content in zip(psms, (readme, image), strict=False):
        channel = await open_channel(thing.session, psm)
        await asyncio.wait_for(channel.closed.wait(), 30)
        assert channel.data == content.read_bytes()
    upload = await open_channel(thing.session, psms[2])
    upload.channel.write(b"to you" * 1000)
    await upload.channel.drain()
    async with asyncio.timeout(30):
        while True:
            sinks = (await thing.client.get("/v1/channels")).json["channels"]
            if "6000" in str(sinks):
                break
            await asyncio.sleep(0.05)
    assert hashlib.sha256(b"to you" * 1000).hexdigest() in str(sinks)
