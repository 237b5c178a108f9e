"""The dashboard's keyboard shortcuts: what each key does, when keys do nothing, and how they are turned off."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import Launch, Stage
from support.controllers import LOOPBACK
from support.dashboard import Shown, show, violations
from support.page import Page
from support.program import PROFILES
from support.web import Client

PROFILE = PROFILES / "dashboard.yaml"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "dashboard.md"
NARROW = 320
ALT, CONTROL, META = 1, 2, 4
pytestmark = pytest.mark.timeout(180)

OPEN = "document.getElementById('shortcuts').open"
AREA = "document.querySelector('article').dataset.area"


@pytest.fixture
async def shown(virtual: Stage, page: Page) -> Shown:
    return await show(virtual, page, PROFILE)


async def test_keys_are_those_of_the_documentation(shown: Shown) -> None:
    rows: list[list[str]] = await shown.page.evaluate(
        "[...document.querySelectorAll('#shortcuts tbody tr')]"
        ".map((row) => [...row.cells].map((one) => one.textContent))"
    )
    said = re.findall(r"^\| `(\S+)` \| ([^|]+) \| ([^|]+) \|$", PAGE.read_text(), re.MULTILINE)
    assert [tuple(row) for row in rows] == said


async def test_list_opens_and_closes(shown: Shown) -> None:
    page = shown.page
    opener = await page.find("button", "Keyboard")
    await page.call(opener, "function() { this.focus(); }")
    for open in (lambda: page.type("?"), lambda: page.press("Keyboard")):
        await open()
        await page.until(OPEN)
        await page.key("Escape", 27)
        await page.until(f"!{OPEN}")
        # The focus returns to where it was.
        assert await page.evaluate("document.activeElement.id") == "keys"
    await page.type("?")
    # While it is open, the keys do nothing else.
    await page.type("a")
    await page.press("Close")
    await page.until(f"!{OPEN}")
    assert [one["on"] for one in (await shown.client.get("/v1/advertising")).json["advertising"]] == [True]


async def test_areas_are_reached(shown: Shown) -> None:
    page = shown.page
    await page.resize(NARROW, 700)
    for key, area in (("2", "talk"), ("3", "bench"), ("1", "thing")):
        await page.type(key)
        await page.until(f"{AREA} === '{area}' && document.activeElement.classList.contains('{area}')")
        assert await page.evaluate(f"document.querySelector('.area.{area}').offsetParent !== null")


async def test_conversation_is_found_and_paused(shown: Shown) -> None:
    page = shown.page
    await page.resize(NARROW, 700)
    await page.type("/")
    await page.until("document.activeElement.ariaLabel === 'Find in the conversation'")
    assert await page.evaluate(AREA) == "talk"
    # The key itself is not typed, and the next ones are.
    await page.type("p")
    assert await page.evaluate("document.activeElement.value") == "p"
    pressed = "document.querySelector('[aria-label=\"Pause the conversation\"]').ariaPressed"
    assert await page.evaluate(pressed) == "false"
    await page.evaluate("document.activeElement.blur()")
    for state in ("true", "false"):
        await page.type("p")
        await page.until(f"{pressed} === '{state}'")


async def test_packets_are_filtered(shown: Shown) -> None:
    page = shown.page
    await page.type("f")
    await page.until("document.activeElement.labels?.[0]?.innerText === 'Filter'")
    assert await page.evaluate("document.activeElement.closest('details').open && document.activeElement.value") == ""


async def test_advertising_is_stopped_and_started(shown: Shown) -> None:
    page = shown.page
    await page.type("a")
    await shown.program.event("advertising-stopped")
    await page.until("document.getElementById('said').textContent === 'Advertising is stopped.'")
    await page.find("button", "Start advertising set main")
    await page.type("a")
    await page.until("document.getElementById('said').textContent === 'Advertising is started.'")
    assert [one["on"] for one in (await shown.client.get("/v1/advertising")).json["advertising"]] == [True]


async def test_nothing_happens_in_fields_or_with_modifiers(shown: Shown) -> None:
    page = shown.page
    for modifier in (ALT, CONTROL, META):
        for key in "?3/pfa":
            await page.type(key, modifier)
    await page.open("label")
    # The form gets the present value when it opens.
    await page.until("[...document.querySelectorAll('.editor input')].some((one) => one.value === '<i>label</i>')")
    await page.enter("label", "x")
    for key in "?/pfa3":
        await page.type(key)
    assert await page.evaluate("document.activeElement.value") == "x?/pfa3"
    await page.call(await page.find("combobox", "Kinds in the conversation"), "function() { this.focus(); }")
    for key in "?3p":
        await page.type(key)
    # Unknown keys, too.
    await page.evaluate("document.activeElement.blur()")
    for key in "xz0":
        await page.type(key)
    assert not await page.evaluate(OPEN)
    assert await page.evaluate(AREA) == "thing"
    assert await page.evaluate("document.querySelectorAll('.talk [aria-pressed=\"true\"]').length") == 1
    assert [one["on"] for one in (await shown.client.get("/v1/advertising")).json["advertising"]] == [True]


async def test_they_can_be_turned_off(shown: Shown) -> None:
    """As WCAG 2.1.4 requires. The browser remembers the setting."""
    page = shown.page
    await page.type("?")
    await page.press_switch("Shortcuts of one key are on")
    await page.key("Escape", 27)
    url = await page.evaluate("location.href")
    for _ in range(2):
        for key in "?3":
            await page.type(key)
        assert not await page.evaluate(OPEN) and await page.evaluate(AREA) == "thing"
        await page.go(url)
    # The button still opens the list.
    await page.press("Keyboard")
    assert not await page.evaluate("document.querySelector('#shortcuts [role=switch]').checked")
    await page.press_switch("Shortcuts of one key are on")
    await page.key("Escape", 27)
    await page.type("3")
    await page.until(f"{AREA} === 'bench'")
    assert await page.evaluate("JSON.stringify(localStorage)") == "{}"


async def test_they_act_on_the_accessory_with_the_focus(launch: Launch, page: Page) -> None:
    program = await launch("run", PROFILE, PROFILE, "--http", f"{LOOPBACK}:0", "--json")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    first, second = [one["id"] for one in (await client.get("/v1/accessories")).json["accessories"]]
    await page.go(f"{client.url}#accessory={first}&accessory={second}")
    await page.until("document.querySelectorAll('[aria-label=\"Stop advertising set main\"]').length === 2")
    await page.evaluate("document.querySelectorAll('article h2')[1].focus()")
    await page.type("a")
    await program.event("advertising-stopped", accessory=second)
    await page.evaluate("document.activeElement.blur()")
    await page.type("a")
    await program.event("advertising-stopped", accessory=first)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_list_is_accessible(shown: Shown, scheme: str) -> None:
    page = shown.page
    await page.scheme(scheme)
    await page.type("?")
    await page.until(OPEN)
    assert await page.evaluate("document.activeElement.textContent") == "Close"
    for width in (NARROW, 1440):
        await page.resize(width, 700)
        assert await violations(page) == []
        root = "document.documentElement"
        assert await page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"), width
