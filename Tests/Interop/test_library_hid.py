"""The shipped devices of HID over GATT 1.0: required bonds, both protocol modes, and the contents of reports."""

from __future__ import annotations

import asyncio

import pytest
from bumble import att
from bumble.core import UUID
from bumble.gatt import Characteristic

from conftest import Stage
from support.attributes import characteristics
from support.thing import Thing, play

HID_SERVICE, BATTERY_SERVICE = b"\x12\x18", b"\x0f\x18"
INPUT, OUTPUT, FEATURE = 1, 2, 3
REPORT_REFERENCE = 0x2908
EXTERNAL_REPORT_REFERENCE = 0x2907

# A US keyboard (HID Usage Tables 1.4, chapter 10): the characters of the usages 0x04 and up, without and with shift.
PLAIN = "abcdefghijklmnopqrstuvwxyz1234567890\n\x1b\x08\t -=[]\\#;'`,./"
SHIFTED = "ABCDEFGHIJKLMNOPQRSTUVWXYZ!@#$%^&*()\n\x1b\x08\t _+{}|~:\"~<>?"


def text(reports: list[bytes]) -> str:
    """Returns the text that keyboard reports give: a key counts when it is pressed."""
    typed = ""
    held: set[int] = set()
    for report in reports:
        assert len(report) == 8 and report[1] == 0
        keys = set(report[2:]) - {0}
        for key in keys - held:
            typed += (SHIFTED if report[0] & 0x22 else PLAIN)[key - 4]
        held = keys
    return typed


async def typed(thing: Thing, name: str, expected: str, seen: int = 0) -> None:
    """Waits until that text was typed, key by key, each released before the next."""
    await thing.values(name, seen + 2 * len(expected))
    reports = thing.session.values(thing.handle(name))[seen:]
    assert text(reports) == expected
    assert reports[1::2] == [bytes(8)] * len(expected)


async def descriptor(thing: Thing, name: str, kind: int) -> bytes:
    descriptors = thing.entries[name].descriptors
    (handle,) = [handle for handle, uuid in descriptors if uuid == UUID.from_16_bits(kind)]
    return await thing.session.read(handle)


@pytest.mark.parametrize("profile", ["hid-keyboard", "hid-mouse", "hid-consumer-control", "hid-gamepad"])
async def test_everything_needs_a_bond(virtual: Stage, profile: str) -> None:
    thing = await play(virtual, profile)
    secret = [service for service in thing.services if service.uuid.to_bytes() in (HID_SERVICE, BATTERY_SERVICE)]
    readable = [entry for entry in characteristics(secret) if entry.properties & Characteristic.Properties.READ]
    assert len(readable) >= 4
    for entry in readable:
        request = att.ATT_Read_Request(attribute_handle=entry.value_handle)
        assert await thing.session.error(request) == att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR, entry.id
    await asyncio.wait_for(thing.session.connection.pair(), 30)
    # Version 1.11, no country, remote wake and normally connectable (HIDS 2.10).
    assert await thing.read("hid-information") == bytes.fromhex("11010003")
    report_map = await thing.read("report-map")
    # It begins with a usage page, Generic Desktop or Consumer, and closes its collection.
    assert report_map[:2] in (b"\x05\x01", b"\x05\x0c") and report_map[-1] == 0xC0
    assert (await thing.read("pnp-id"))[:3] == bytes.fromhex("02ffff")


@pytest.mark.parametrize(
    "profile, reports",
    [
        ("hid-keyboard", {"keyboard-input": (1, INPUT), "leds": (1, OUTPUT)}),
        ("hid-mouse", {"mouse-input": (0, INPUT)}),
        ("hid-consumer-control", {"control-input": (1, INPUT)}),
        ("hid-gamepad", {"gamepad-input": (1, INPUT), "motors": (2, OUTPUT), "minutes-until-off": (3, FEATURE)}),
    ],
)
async def test_report_references(virtual: Stage, profile: str, reports: dict[str, tuple[int, int]]) -> None:
    """Each report of the map has a characteristic with its reference; the lengths are those of the map."""
    thing = await play(virtual, profile, pair=True)
    for name, reference in reports.items():
        assert await descriptor(thing, name, REPORT_REFERENCE) == bytes(reference)
    lengths = report_lengths(await thing.read("report-map"))
    assert {reference: len(await thing.read(name)) for name, reference in reports.items()} == lengths


def report_lengths(report_map: bytes) -> dict[tuple[int, int], int]:
    """Returns the number of octets of each report, from the items of a report map (HID 1.11, 6.2.2)."""
    bits: dict[tuple[int, int], int] = {}
    size = count = identifier = place = 0
    while place < len(report_map):
        tag, length = report_map[place] & 0xFC, (0, 1, 2, 4)[report_map[place] & 3]
        data = int.from_bytes(report_map[place + 1 : place + 1 + length], "little")
        match tag:
            case 0x74:
                size = data
            case 0x94:
                count = data
            case 0x84:
                identifier = data
            case 0x80 | 0x90 | 0xB0:
                key = (identifier, {0x80: INPUT, 0x90: OUTPUT, 0xB0: FEATURE}[tag])
                bits[key] = bits.get(key, 0) + size * count
        place += 1 + length
    assert all(value % 8 == 0 for value in bits.values())
    return {key: value // 8 for key, value in bits.items()}


async def test_keyboard_types_the_parameter(virtual: Stage) -> None:
    thing = await play(virtual, "hid-keyboard", "--set", 'text="Hi, Ångström? No: {x} ~ 42%"', pair=True)
    await thing.subscribe("keyboard-input")
    await thing.press("type")
    # A character that is not on the keyboard gives no key press.
    await typed(thing, "keyboard-input", "Hi, ngstrm? No: {x} ~ 42%")


async def test_keyboard_waits_for_its_host(virtual: Stage) -> None:
    thing = await play(virtual, "hid-keyboard", pair=True)
    await thing.press("type")
    await thing.subscribe("keyboard-input")
    await typed(thing, "keyboard-input", "Hello, World!\n")


async def test_keyboard_types_what_it_is_given(virtual: Stage) -> None:
    thing = await play(virtual, "hid-keyboard", pair=True)
    await thing.subscribe("keyboard-input")
    everything = "".join(chr(code) for code in range(32, 127))
    await thing.put("typewriter", everything)
    await typed(thing, "keyboard-input", everything)
    # A host may also write the text; doubled letters are two key presses.
    seen = thing.so_far("keyboard-input")
    await thing.write("typewriter", b"boot tool\n\t")
    await typed(thing, "keyboard-input", "boot tool\n\t", seen)
    assert await thing.read("keyboard-input") == bytes(8)


async def test_keyboard_in_boot_protocol_mode(virtual: Stage) -> None:
    """HIDS 2.4: different reports are sent, and a new connection begins in Report Protocol Mode."""
    thing = await play(virtual, "hid-keyboard", pair=True)
    await thing.subscribe("keyboard-input", "boot-keyboard-input")
    assert await thing.read("protocol-mode") == b"\x01"
    await thing.command("protocol-mode", b"\x02")
    assert await thing.read("protocol-mode") == b"\x01"
    await thing.command("protocol-mode", b"\x00")
    assert await thing.read("protocol-mode") == b"\x00"
    await thing.put("typewriter", "Boot")
    await typed(thing, "boot-keyboard-input", "Boot")
    assert thing.so_far("keyboard-input") == 0
    await thing.session.disconnect()
    await thing.again()
    await asyncio.wait_for(thing.session.connection.encrypt(), 30)
    assert await thing.read("protocol-mode") == b"\x01"
    # The bond stores the subscriptions.
    await thing.put("typewriter", "ok")
    await typed(thing, "keyboard-input", "ok")


async def test_keyboard_while_the_host_sleeps(virtual: Stage) -> None:
    thing = await play(virtual, "hid-keyboard", pair=True)
    await thing.subscribe("keyboard-input")
    await thing.command("hid-control-point", b"\x00")
    await thing.program.event("write", characteristic="hid-control-point")
    await thing.put("typewriter", "z")
    assert await thing.read("keyboard-input") == bytes(8)
    assert thing.so_far("keyboard-input") == 0
    await thing.command("hid-control-point", b"\x01")
    await typed(thing, "keyboard-input", "z")


async def test_keyboard_leds(virtual: Stage) -> None:
    thing = await play(virtual, "hid-keyboard", pair=True)
    await thing.write("leds", b"\x02")
    assert await thing.read("boot-keyboard-output") == b"\x02"
    await thing.command("boot-keyboard-output", b"\x05")
    assert await thing.read("leds") == b"\x05"
    assert await descriptor(thing, "report-map", EXTERNAL_REPORT_REFERENCE) == bytes.fromhex("192a")


async def test_mouse_draws_a_circle(virtual: Stage) -> None:
    thing = await play(virtual, "hid-mouse", pair=True)
    await thing.subscribe("mouse-input", "boot-mouse-input")
    await thing.press("circle")
    reports = await thing.values("mouse-input", 32)
    x = y = 0
    for report in reports:
        buttons, dx, dy, wheel = report[0], *(int.from_bytes(report[i : i + 1], signed=True) for i in (1, 2, 3))
        assert (buttons, wheel) == (0, 0)
        x, y = x + dx, y + dy
        # It stays on the circle around (-60, 0).
        assert 57 <= ((x + 60) ** 2 + y**2) ** 0.5 <= 63
    assert (x, y) == (0, 0)
    seen = thing.so_far("mouse-input")
    assert seen == 32
    await thing.press("right-click")
    assert (await thing.values("mouse-input", seen + 2))[seen:] == [b"\x02\0\0\0", bytes(4)]
    await thing.command("protocol-mode", b"\x00")
    assert await thing.read("protocol-mode") == b"\x00"
    await thing.press("click")
    assert await thing.values("boot-mouse-input", 2) == [b"\x01\0\0", bytes(3)]


async def test_remote_control(virtual: Stage) -> None:
    """HID Usage Tables 1.4, chapter 15."""
    thing = await play(virtual, "hid-consumer-control", pair=True)
    await thing.subscribe("control-input")
    usages = {"play-pause": 0xCD, "stop": 0xB7, "next": 0xB5, "previous": 0xB6, "mute": 0xE2}
    usages |= {"volume-up": 0xE9, "volume-down": 0xEA}
    for number, (button, usage) in enumerate(usages.items()):
        await thing.press(button)
        assert (await thing.values("control-input", 2 * number + 2))[-2:] == [usage.to_bytes(2, "little"), b"\0\0"]


async def test_gamepad(virtual: Stage) -> None:
    thing = await play(virtual, "hid-gamepad", pair=True)
    assert await thing.read("gamepad-input") == bytes(7)
    await thing.subscribe("gamepad-input")
    await thing.press("start")
    assert await thing.values("gamepad-input", 2) == [bytes.fromhex("00080000000000"), bytes(7)]
    await thing.put("gamepad-input", {"hat": "up", "right-x": -127})
    assert await thing.read("gamepad-input") == bytes.fromhex("00000100008100")
    await thing.put("gamepad-input", {"hat": "centred", "right-x": 0})
    seen = thing.so_far("gamepad-input")
    await thing.press("play")
    moving = (await thing.values("gamepad-input", seen + 10))[seen:]
    assert len(set(moving)) == 10
    await thing.press("play")
    await thing.command("motors", b"\xff\x40")
    assert await thing.read("motors") == b"\xff\x40"
    # They stop by themselves.
    async with asyncio.timeout(30):
        while await thing.read("motors") != b"\0\0":
            await asyncio.sleep(0.1)
    await thing.write("minutes-until-off", b"\x1e")
    assert await thing.read("minutes-until-off") == b"\x1e"
