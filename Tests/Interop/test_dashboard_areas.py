"""The dashboard's three areas, at every width: the accessory with its values, the conversation down to its octets, and the bench."""

from __future__ import annotations

import asyncio

import pytest

from conftest import Stage
from support.attributes import handles_by_id
from support.central import Session
from support.dashboard import Shown, looks, picture, row, show, violations
from support.page import Page
from support.program import PROFILES, describe

PROFILE = PROFILES / "dashboard.yaml"
pytestmark = pytest.mark.timeout(180)

AREAS = ("Accessory", "Conversation", "Bench")
NARROW = 320


async def belt(virtual: Stage, page: Page) -> tuple[Shown, Session]:
    """A heart-rate belt with a phone that has read and subscribed."""
    shown = await show(virtual, page, "heart-rate")
    await page.until("document.querySelector('[aria-label^=\"Watch the packets\"]')?.ariaPressed === 'true'")
    session = await virtual.connect(mtu=185)
    await session.subscribe(await session.handle_of("2A37"))
    assert await session.read(await session.handle_of("2A38")) == b"\x01"
    await session.arrivals(2)
    return shown, session


# The accessory as a thing


async def test_values_look_like_what_they_are(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, PROFILE)
    for id, expected in (
        ("lamp", "off"),
        ("level", "7"),
        ("mode", "Idle"),
        ("alarms", "hot"),
        ("label", "<i>label</i>"),
        ("raw", "01 02"),
        ("device-name", "<img src=x onerror=window.hurt=1>"),
        ("appearance", "Unknown"),
    ):
        await looks(page, id, expected)
    # A switch needs no form.
    await page.press("Switch lamp", "switch")
    await shown.holds("lamp", True)
    await looks(page, "lamp", "on")
    assert await page.evaluate("document.querySelector('.toggle').ariaChecked") == "true"
    # The page shows a value that is set elsewhere, without an event.
    await shown.client.put("/v1/characteristics/alarms/value", {"value": ["hot", "wet"]})
    await looks(page, "alarms", "hot wet")


async def test_heart_rate_is_a_figure_with_its_history(virtual: Stage, page: Page) -> None:
    await show(virtual, page, "heart-rate", "--speed", "10")
    # It also works without a phone.
    points = "querySelector('.lead .spark .curve').getAttribute('points')?.split(' ').length"
    await page.until(f"{row('Heart rate')}.{points} > 2")
    words = await picture(page, "Heart rate")
    assert words.split()[1] == "bpm" and 62 <= int(words.split()[0]) <= 148, words
    assert "Contact Detected" in words
    size = f"parseFloat(getComputedStyle({row('Heart rate')}.querySelector('.lead .digits')).fontSize)"
    assert await page.evaluate(size) > 30
    await looks(page, "battery-level", "100 %")
    assert await page.evaluate(f"{row('battery-level')}.querySelector('.level').style.inlineSize") == "100%"
    await looks(page, "appearance", "Heart Rate Sensor: Heart Rate Belt")
    await looks(page, "device-name", "Heart Rate Belt")
    await page.until("/Advertising$/.test(document.querySelector('article .state').innerText)")


async def test_colour_is_chosen_where_it_is_shown(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, "light-bulb")
    await looks(page, "colour", "#ffb464")
    await page.set("Choose colour", "#102030", "ColorWell")
    await shown.holds("colour", {"red": 0x10, "green": 0x20, "blue": 0x30})
    await looks(page, "colour", "#102030")


async def test_large_profile_is_short(virtual: Stage, page: Page) -> None:
    """Its forms open in place, so that the page is at most three windows tall."""
    await show(virtual, page, "environmental-sensing")
    await page.resize(1440, 900)
    height = await page.evaluate("document.documentElement.scrollHeight")
    assert height < 2_700, height
    await page.open("pressure")
    await page.find("button", "Set pressure")
    assert await page.evaluate("document.querySelectorAll('.editor').length") == 1


async def test_head_says_state_and_peers(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, PROFILE)
    state = "document.querySelector('article .state').innerText"
    await page.until(f"{state} === 'Advertising'")
    for verb, expected in (("stop", "Off"), ("start", "Advertising")):
        await shown.client.post(f"/v1/advertising/main/{verb}")
        await page.until(f"{state} === '{expected}'")
    await page.open("Power and identity")
    await page.press("Put the accessory to sleep")
    await page.until(f"{state} === 'Asleep'")
    await page.press("Wake the accessory")
    await page.until(f"{state} === 'Advertising'")
    session = await virtual.connect(mtu=185)
    await page.until(f"{state} === 'Connected'")
    await page.until("document.querySelector('.peers').innerText.includes('MTU 185')")
    chip = await page.evaluate("document.querySelector('.peers').textContent")
    assert "15 ms" in chip and "not encrypted" in chip
    assert str(session.connection.device.random_address).split("/")[0] in await page.evaluate(
        "document.querySelector('.peers').innerText"
    )


# The conversation


async def lines(page: Page) -> list[str]:
    found: list[str] = await page.evaluate(
        "[...document.querySelectorAll('.saying .words')].map((one) => one.textContent.replace(/\\s+/g, ' ').trim())"
    )
    return found


async def test_conversation_goes_from_advertising_to_notifications(virtual: Stage, page: Page) -> None:
    await belt(virtual, page)
    await page.until("/notifies measurement/.test(document.querySelector('.talks').innerText)")
    said = await lines(page)
    wanted = [
        "The accessory advertises main every 20 ms",
        "The phone connects",
        "The phone exchanges the MTU 185 octets",
        "The phone discovers the database",
        "The phone subscribes to measurement",
        "The phone reads location chest",
        "The accessory notifies measurement bpm",
    ]
    places = [next((at for at, one in enumerate(said) if one.startswith(text)), None) for text in wanted]
    assert None not in places and places == sorted(places), said
    # Repetitions are one line.
    await page.until("/notifies measurement.*× [3-9]/s.test(document.querySelector('.talks').innerText)")
    assert sum("notifies measurement" in one for one in await lines(page)) <= 3


async def test_conversation_opens_down_to_the_octets(virtual: Stage, page: Page) -> None:
    await belt(virtual, page)
    line = "[...document.querySelectorAll('.saying')].find((one) => one.textContent.includes('reads location'))"
    await page.until(f"Boolean({line})")
    await page.evaluate(f"{line}.focus()")
    await page.key("Enter", 13)
    inside = f"{line}.nextElementSibling"
    await page.until(f"{line}.ariaExpanded === 'true' && {inside}.querySelectorAll('.packet').length === 2")
    text = await page.evaluate(f"{inside}.innerText")
    assert "chest" in text and "0000  01" in text, text
    await page.evaluate(f"for (const one of {inside}.querySelectorAll('.packet')) one.open = true")
    text = await page.evaluate(f"{inside}.innerText")
    assert "Attribute Handle" in text and "Read Response" in text, text
    # A field marks its octets.
    await page.evaluate(f"{inside}.querySelector('.packet li[tabindex]').focus()")
    assert await page.evaluate(f"{inside}.querySelectorAll('.marked').length") >= 1
    await page.evaluate(f"{line}.click()")
    await page.until(f"{line}.ariaExpanded === 'false' && {line}.nextElementSibling === null")


async def test_conversation_is_paused_and_filtered(virtual: Stage, page: Page) -> None:
    _, session = await belt(virtual, page)
    await page.until("/notifies measurement/.test(document.querySelector('.talks').innerText)")
    await page.press("Pause the conversation")
    before = await lines(page)
    await session.read(await session.handle_of("2A29"))
    await session.arrivals(2)
    await page.until("/Paused, [1-9][0-9]* more since/.test(document.querySelector('.news').innerText)")
    assert await lines(page) == before
    await page.press("Pause the conversation")
    await page.until("/reads manufacturer-name/.test(document.querySelector('.talks').innerText)")
    assert await page.evaluate("document.querySelector('.news').innerText") == ""
    await page.set("Kinds in the conversation", "link", "combobox")
    assert all("measurement" not in one for one in await lines(page)) and len(await lines(page)) >= 2
    await page.set("Kinds in the conversation", "", "combobox")
    await page.enter("Find in the conversation", "chest", "searchbox")
    await page.until("document.querySelectorAll('.saying').length >= 1")
    assert all("chest" in one for one in await lines(page)), await lines(page)


async def test_conversation_is_bounded(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, PROFILE)
    for _ in range(160):
        for verb in ("stop", "start"):
            await shown.client.post(f"/v1/advertising/main/{verb}")
    await page.until("document.querySelectorAll('.turn').length === 150")
    # The newest is in view, unless somebody scrolls or opens something.
    frame = "document.querySelector('.talk-frame')"
    await page.until(f"{frame}.scrollTop + {frame}.clientHeight >= {frame}.scrollHeight - 24")
    await page.evaluate(f"{frame}.scrollTop = 0")
    await page.press("Newest ↓")
    await page.until(f"{frame}.scrollTop + {frame}.clientHeight >= {frame}.scrollHeight - 24")


# The bench


async def test_everything_can_be_requested(virtual: Stage, page: Page) -> None:
    """Requests that the page does not know get forms, made from the API's description."""
    shown = await show(virtual, page, PROFILE, "--speed", "fast")
    await page.open("Every request")
    choice = await page.find("combobox", "Request")
    requests: list[list[str]] = await page.call(
        choice, "function() { return [...this.options].map((one) => [one.text, one.value]); }"
    )
    titles = [title for title, _ in requests]
    for path in (
        "POST services",
        "POST bonds",
        "PUT security",
        "POST connections/{connection}/remote/write",
        "POST expectations",
    ):
        assert any(title.startswith(path) for title in titles), (path, titles)
    place = next(value for title, value in requests if title.startswith("PUT characteristics/{characteristic}/value"))
    await page.set("Request", place, "combobox")
    await page.set("characteristic", "level", "combobox")
    await page.enter("Body", '{"value": 77}')
    await page.press("Send the request")
    await shown.holds("level", 77)
    await page.until("/77/.test(document.querySelector('[aria-label=\"Answer\"]').innerText)")
    assert await violations(page) == []


async def test_time_snapshots_and_reset(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, PROFILE, "--speed", "fast")
    await page.open("Snapshots")
    await page.enter("Name of the snapshot", "before")
    await page.press("Store")
    await page.find("button", "Restore snapshot before")
    await shown.client.put("/v1/characteristics/level/value", {"value": 99})
    await page.press("Restore snapshot before")
    await shown.holds("level", 7)
    await page.press("Delete snapshot before")
    await page.until("!document.querySelector('[aria-label=\"Restore snapshot before\"]')")
    await shown.client.put("/v1/characteristics/level/value", {"value": 98})
    await page.open("Power and identity")
    await page.press("Reset the accessory")
    await shown.holds("level", 7)
    await page.open("Time")
    before = (await shown.client.get("/v1/radio")).json["time"]["elapsed_ms"]
    await page.press("Advance the time by 1 min")
    async with asyncio.timeout(30):
        while (await shown.client.get("/v1/radio")).json["time"]["elapsed_ms"] < before + 60_000:
            await asyncio.sleep(0.02)


# Every width, scheme and hand


@pytest.mark.parametrize("width", [NARROW, 768, 1440, 2560])
async def test_widths_and_schemes(virtual: Stage, page: Page, width: int) -> None:
    await belt(virtual, page)
    await page.open("Heart rate")
    await page.until("document.querySelectorAll('.saying').length > 4 && document.querySelectorAll('.plot').length > 0")
    await page.evaluate("[...document.querySelectorAll('.saying')].at(-1).click()")
    await page.resize(width, 900)
    for area in AREAS if width == NARROW else AREAS[:1]:
        if width == NARROW:
            await page.press(area)
        columns = (
            "new Set([...document.querySelectorAll('.area')].filter((one) => one.offsetParent)"
            ".map((one) => one.offsetLeft)).size"
        )
        assert await page.evaluate(columns) == {NARROW: 1, 768: 2}.get(width, 3)
        for scheme in ("light", "dark"):
            await page.scheme(scheme)
            assert await violations(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), area


async def test_nothing_moves_when_asked(virtual: Stage, page: Page) -> None:
    await page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    await belt(virtual, page)
    await page.evaluate(
        "window.moved = 0; for (const kind of ['animationstart', 'transitionstart'])"
        " document.addEventListener(kind, () => { window.moved += 1; })"
    )
    await page.press("Pause the conversation")
    await page.press("Pause the conversation")
    await page.until("/× [2-9]/.test(document.querySelector('.talks').innerText)")
    assert await page.evaluate("window.moved + document.getAnimations().length") == 0


async def focused(page: Page) -> str:
    name: str = await page.evaluate(
        "(() => { const one = document.activeElement; return one === document.body ? '' :"
        " one.ariaLabel || one.innerText || one.labels?.[0]?.innerText || one.tagName; })()"
    )
    return name.strip()


async def test_way_through_with_the_keyboard_only(virtual: Stage, page: Page) -> None:
    await belt(virtual, page)
    await page.until("document.querySelectorAll('.saying').length > 4")
    reached: list[str] = []
    for _ in range(200):
        await page.key("Tab", 9)
        name = await focused(page)
        if not name and reached:
            break
        reached.append(name)
        # The focused element is visible.
        assert await page.evaluate("document.activeElement.getBoundingClientRect().height > 0"), name
    else:
        raise AssertionError(f"the focus never comes back: {reached}")
    assert reached[0] == "Skip to the accessories"

    def place(text: str) -> int:
        return next((at for at, one in enumerate(reached) if one.startswith(text)), -1)

    landmarks = (
        "F0:00:00:00:00:01",
        "Heart rate",
        "Pause the conversation",
        "Find in the conversation",
        "Power and identity",
        "Start advertising set main",
        "Every request",
    )
    order = [place(text) for text in landmarks]
    assert -1 not in order and order == sorted(order), (order, reached)
    # The Tab key reaches one line of the conversation, and the arrow keys reach the others.
    assert await page.evaluate("document.querySelectorAll('.saying[tabindex=\"0\"]').length") == 1
    await page.evaluate("document.querySelector('.saying[tabindex=\"0\"]').focus()")
    await page.key("Home", 36)
    assert await page.evaluate("document.activeElement === document.querySelector('.saying')")
    await page.key("ArrowDown", 40)
    assert await page.evaluate("document.activeElement === document.querySelectorAll('.saying')[1]")
    await page.key("Enter", 13)
    await page.until("document.querySelectorAll('.inspection').length === 1")


async def test_peer_leads_to_its_connection(virtual: Stage, page: Page) -> None:
    await belt(virtual, page)
    await page.resize(NARROW, 700)
    await page.until("document.querySelectorAll('.chip').length === 1")
    await page.evaluate("document.querySelector('.chip').focus()")
    await page.key("Enter", 13)
    await page.until("document.activeElement?.innerText?.startsWith('Connections (1)')")
    assert await page.evaluate("document.querySelector('.bench').offsetParent !== null")


async def test_hostile_texts_in_the_conversation(virtual: Stage, page: Page) -> None:
    """The fixture checks whether anything was executed."""
    await show(virtual, page, PROFILE)
    handles = handles_by_id(await describe(PROFILE))
    session = await virtual.connect(mtu=185)
    for text in ("<script>window.hurt = 5</script>", "<img src=x onerror=window.hurt=6>", "\u202e" + "x" * 60):
        await session.write(handles["label"], text.encode()[:64])
        await page.sees(text[:20])
    line = "[...document.querySelectorAll('.saying')].find((one) => one.textContent.includes('writes label'))"
    await page.until(f"Boolean({line})")
    await page.evaluate(f"{line}.click()")
    assert await page.evaluate("document.querySelectorAll('article img, article script').length") == 0
    for width in (NARROW, 1440):
        await page.resize(width, 900)
        assert await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), width
