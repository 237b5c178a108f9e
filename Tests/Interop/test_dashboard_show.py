"""Values that look as the profile says: `show` over HTTP, and in the dashboard."""

from __future__ import annotations

import pytest

from conftest import Stage
from support.dashboard import Shown, level, looks, row, show, violations
from support.page import Page
from support.program import PROFILES

PROFILE = PROFILES / "dashboard-show.yaml"
pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def shown(virtual: Stage, page: Page) -> Shown:
    return await show(virtual, page, PROFILE)


async def test_values_look_as_the_profile_says(shown: Shown) -> None:
    page = shown.page
    for label, expected in (
        ("<b>Speed</b>", "60 km/h 40 200"),
        ("Lamp", "off"),
        ("door", "closed"),
        ("plain", "true"),
        ("share", "50 %"),
        ("glow", "#102030"),
        ("tint", "#102040"),
        ("hue", "Red 1 Blue 3"),
        ("level", "01 02"),
        ("gaps", "7, 8 ms (2)"),
        ("heart", "Pulse 70 bpm 40 100 Energy 5 kJ Worn on Mark #aabbcc"),
    ):
        await looks(page, label, expected)
    # 60 is an eighth of the way from 40 to 200, and 70 is half of the way from 40 to 100.
    assert await level(page, "<b>Speed</b>") == "12.5%"
    assert await level(page, "heart") == "50%"
    assert await page.evaluate(f"{row('share')}.querySelector('.gauge')") is None
    # Hidden values have no row, and a service with only hidden values has no card.
    text = await page.evaluate("document.querySelector('.services').innerText")
    assert "secret" not in text.lower() and "FFE0" not in text, text


async def test_switches_and_colors_are_changed_where_they_are_shown(shown: Shown) -> None:
    page = shown.page
    for name, id, on, off in (("Lamp", "lamp", 255, 0), ("door", "door", "open", "closed")):
        switch = f"document.querySelector('[aria-label=\"Switch {name}\"]').ariaChecked"
        for value in (on, off):
            await page.press(f"Switch {name}", "switch")
            await shown.holds(id, value)
            await page.until(f"{switch} === '{str(value == on).lower()}'")
    # A number between off and on is on.
    await shown.client.put("/v1/characteristics/lamp/value", {"value": 7})
    await looks(page, "Lamp", "on")
    assert await page.evaluate("document.querySelector('[aria-label=\"Switch plain\"]')") is None
    await page.set("Choose glow", "#0a0b0c", "ColorWell")
    await shown.holds("glow", {"hex": "0a0b0c"})
    await page.set("Choose tint", "#ff0102", "ColorWell")
    await shown.holds("tint", [255, 1, 2])
    await looks(page, "tint", "#ff0102")


async def is_filled(page: Page, id: str, value: str) -> None:
    """Waits until the form of a value, which has just opened, shows the current value."""
    form = f"document.querySelector('form[aria-label=\"Value of {id}\"]')"
    await page.until(f"[...({form}?.querySelectorAll('input') ?? [])].some((one) => one.value === '{value}')")


async def test_forms_have_the_range_and_every_field(shown: Shown) -> None:
    page = shown.page
    await page.open("<b>Speed</b>")
    await is_filled(page, "speed", "60")
    await page.set("speed (km/h), slider", "120", "slider")
    assert await page.evaluate(
        "(({ min, max }) => [min, max])(document.querySelector('[aria-label=\"speed (km/h), slider\"]'))"
    ) == ["40", "200"]
    await page.press("Set speed")
    await looks(page, "<b>Speed</b>", "120 km/h 40 200")
    await page.until(f"/^speed: .* km.h, last 120$/.test({row('<b>Speed</b>')}.querySelector('.plot')?.ariaLabel)")
    # A hidden field is still a part of the value.
    await page.open("heart")
    await is_filled(page, "heart", "9")
    await page.enter("spare", "8", "spinbutton")
    await page.press("Set heart")
    await shown.holds("heart", {"energy": 5, "bpm": 70, "worn": 2, "spare": 8, "mark": {"hex": "aabbcc"}})


async def test_shows_are_given_over_http(shown: Shown) -> None:
    rows = {one["id"]: one for one in (await shown.client.get("/v1/characteristics")).json["characteristics"]}
    assert rows["speed"]["show"] == {"as": "gauge", "from": 40, "to": 200, "unit": "km/h", "label": "<b>Speed</b>"}
    assert rows["secret"]["show"] == {"as": "hidden"}
    assert rows["heart"]["show"]["fields"]["worn"] == {"as": "switch"}
    assert "show" not in rows["device-name"]
    # A service that is added at run time can have it, too.
    late = {"id": "late", "uuid": "FFD1", "properties": ["read"], "format": "u8", "value": 1, "show": "switch"}
    answer = await shown.client.post("/v1/services", {"uuid": "FFD0", "characteristics": [late]})
    assert answer.status in (200, 201), answer
    await looks(shown.page, "late", "on")
    await shown.page.press("Switch late", "switch")
    await shown.holds("late", 0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_shown_values_are_accessible(shown: Shown, scheme: str) -> None:
    page = shown.page
    await page.scheme(scheme)
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for width in (320, 1440):
        await page.resize(width, 900)
        assert await violations(page) == []
        root = "document.documentElement"
        assert await page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"), width
