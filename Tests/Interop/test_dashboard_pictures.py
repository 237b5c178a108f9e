"""Makes the dashboard's pictures in docs/ (scripts/screenshots)."""

from __future__ import annotations

import itertools

from conftest import Launch, Stage
from support.controllers import LOOPBACK
from support.dashboard import show
from support.page import Page
from support.pictures import marks, take
from support.program import SHIPPED_PROFILES
from support.web import Client

KINDS = ("heart-rate", "light-bulb", "smart-lock", "thermostat", "environmental-sensing", "cycling", "glucose", "toy-drone")
pytestmark = marks


async def test_pictures_of_a_belt(virtual: Stage, page: Page) -> None:
    await page.resize(1440, 900)
    await show(virtual, page, "heart-rate", "--speed", "5")
    await page.until("document.querySelector('[aria-label^=\"Watch the packets\"]')?.ariaPressed === 'true'")
    session = await virtual.connect(mtu=185)
    await session.read(await session.handle_of("2A38"))
    await session.subscribe(await session.handle_of("2A37"))
    await session.arrivals(60, timeout=60)
    await take(page, "dashboard", 1440, 900, "light")
    await take(page, "dashboard-narrow", 360, 720, "dark")
    await page.press("Conversation")
    await page.set("Kinds in the conversation", "values", "combobox")
    line = "[...document.querySelectorAll('.saying')].find((one) => one.textContent.includes('reads location'))"
    await page.resize(700, 760)
    await page.evaluate(f"{line}.click()")
    await page.evaluate(f"{line}.nextElementSibling.querySelectorAll('.packet')[1].open = true")
    await take(page, "dashboard-conversation", 700, 760, "light")


async def test_picture_of_a_weather_station(virtual: Stage, page: Page) -> None:
    await page.resize(2000, 1000)
    await show(virtual, page, "environmental-sensing", "--speed", "10")
    session = await virtual.connect(mtu=185)
    handle = await session.handle_of("2A6E")
    await session.subscribe(handle)
    await session.arrivals(4, timeout=60)
    await page.until("document.querySelectorAll('.spark:not([hidden])').length > 10")
    await take(page, "dashboard-wide", 2000, 1000, "dark")


async def test_picture_of_the_wall(launch: Launch, page: Page) -> None:
    profiles = itertools.islice(itertools.cycle(SHIPPED_PROFILES / f"{kind}.yaml" for kind in KINDS), 50)
    program = await launch("run", *profiles, "--http", f"{LOOPBACK}:0", "--json")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    await page.resize(1440, 900)
    await page.go(client.url)
    for verb in ("stop", "start", "stop"):
        await client.post(f"/v1/accessories/smart-lock/advertising/main/{verb}")
    await client.post("/v1/accessories/thermostat/sleep")
    await page.until("document.querySelectorAll('.tile .latest:not(:empty)').length === 50")
    await page.until("document.querySelectorAll('.state[data-state=\"Off\"]').length >= 1")
    await take(page, "dashboard-wall", 1440, 900, "dark")
