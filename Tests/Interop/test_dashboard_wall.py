"""Fifty accessories on the dashboard, drawn by software: as a wall, and some of them opened side by side."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from conftest import Launch
from support.controllers import LOOPBACK
from support.dashboard import violations
from support.page import Page
from support.program import SHIPPED_PROFILES
from support.web import Client

COUNT = 50
KINDS = ("heart-rate", "light-bulb", "smart-lock", "thermostat", "environmental-sensing")
SECONDS = 5
pytestmark = pytest.mark.timeout(300)

# Counts the frames of the page, and the longest time between two of them.
COUNTER = """
(() => {
  window.frames_ = { count: 0, longest: 0, last: performance.now() };
  const next = (now) => {
    window.frames_.count += 1;
    window.frames_.longest = Math.max(window.frames_.longest, now - window.frames_.last);
    window.frames_.last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})()
"""


async def wall(launch: Launch, page: Page) -> Client:
    profiles = itertools.islice(itertools.cycle(SHIPPED_PROFILES / f"{kind}.yaml" for kind in KINDS), COUNT)
    program = await launch("run", *profiles, "--http", f"{LOOPBACK}:0", "--json")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    await page.resize(1440, 900)
    await page.go(client.url)
    assert await page.evaluate("document.querySelectorAll('.tile').length") == COUNT
    return client


async def test_fifty_accessories_are_drawn_smoothly(launch: Launch, page: Page) -> None:
    """The rate is printed, not asserted: it depends on the machine. The work is asserted."""
    client = await wall(launch, page)
    ids = [one["id"] for one in (await client.get("/v1/accessories")).json["accessories"]]
    nodes = (await page.command("Memory.getDOMCounters"))["nodes"]
    events = 0

    async def stir(own: list[str]) -> None:
        nonlocal events
        for id in itertools.cycle(own):
            for verb in ("stop", "start"):
                await client.post(f"/v1/accessories/{id}/advertising/main/{verb}")
                events += 1

    drawn = int(await page.evaluate("document.getElementById('overview').dataset.drawn ?? 0"))
    await page.evaluate(COUNTER)
    tasks = [asyncio.create_task(stir(ids[start::5])) for start in range(5)]
    await asyncio.sleep(SECONDS)
    frames = await page.evaluate("window.frames_")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    rate = frames["count"] / SECONDS
    print(
        f"{COUNT} accessories, {events / SECONDS:.0f} changes per second: {rate:.0f} frames per second,"
        f" at most {frames['longest']:.0f} ms between two"
    )
    # Every tile has been redrawn, whatever the rate was.
    now = int(await page.evaluate("document.getElementById('overview').dataset.drawn"))
    assert COUNT <= now - drawn
    await page.until("document.querySelectorAll('.tile .latest:not(:empty)').length === 50")
    # Nothing piles up.
    assert (await page.command("Memory.getDOMCounters"))["nodes"] < nodes + 2_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_wall_is_accessible_and_folds(launch: Launch, page: Page, scheme: str) -> None:
    await wall(launch, page)
    await page.scheme(scheme)
    for width in (320, 768, 1440, 2560):
        await page.resize(width, 900)
        assert await violations(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), width
    # With only the keyboard: open one, and close it again; the focus goes to it and comes back.
    await page.evaluate("document.querySelector('.tile').focus()")
    await page.key("Enter", 13)
    await page.until("document.activeElement?.matches('article h2')")
    await page.until("document.querySelectorAll('.value-row').length > 0")
    assert await violations(page) == []
    await page.press("Close heart-rate")
    await page.until("document.activeElement?.matches('.tile')")


async def test_state_of_each_accessory_is_seen(launch: Launch, page: Page) -> None:
    client = await wall(launch, page)
    tile = "document.querySelector('.tile[data-id=\"smart-lock\"]').innerText"
    await page.until(f"{tile}.includes('Advertising')")
    await client.post("/v1/accessories/smart-lock/advertising/main/stop")
    await page.until(f"{tile}.includes('Off') && {tile}.includes('stops advertising main')")
    await client.post("/v1/accessories/smart-lock/sleep")
    await page.until(f"{tile}.includes('Asleep')")
    await client.post("/v1/accessories/smart-lock/wake")
    await page.until(f"!{tile}.includes('Asleep')")
