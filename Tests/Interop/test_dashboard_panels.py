"""The dashboard's panels for the air, a player and colours, and its behavior after the program was unreachable."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from conftest import Stage
from support.controllers import LOOPBACK
from support.dashboard import Shown, show, violations
from support.page import Page
from support.program import PROFILES

PROFILE = PROFILES / "dashboard.yaml"
pytestmark = pytest.mark.timeout(180)


async def chosen(page: Page, name: str) -> str:
    return await page.call(await page.find("combobox", name), "function() { return this.value; }")


# The air


async def test_signal_strength_of_a_connection(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, PROFILE)
    session = await virtual.connect()
    own, other = [one["name"] for one in (await shown.client.get("/v1/radio")).json["controllers"]]
    for strength in (-47, -93):
        await shown.client.put(f"/v1/radio/paths/{other}/{own}", {"rssi": strength})
        # The controller's RSSI is that of the last packet.
        await session.read(await session.handle_of("2A00"))
        connection = (await shown.client.get("/v1/accessory")).json["connections"][0]["connection"]
        answer = await shown.client.get(f"/v1/connections/{connection}/rssi")
        assert answer.json == {"connection": connection, "rssi": strength}
        await page.sees(f"RSSI: {strength} dBm")
    curve = f"document.querySelector('[aria-label^=\"RSSI of connection {connection}\"]')?.getAttribute('aria-label')"
    await page.until(f"/from -93 to -47 dBm/.test({curve})")
    assert (await shown.client.get("/v1/connections/99/rssi")).status == 404
    await session.connection.disconnect()
    await page.sees("No central is connected.")


async def test_map_of_the_radio_with_the_keyboard(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, PROFILE)
    await virtual.connect()
    own, other = [one["name"] for one in (await shown.client.get("/v1/radio")).json["controllers"]]
    await page.open("Virtual radio")
    path = f"From {own} to {other}: "
    label = "document.activeElement.getAttribute('aria-label')"
    edge = await page.until(
        f"[...document.querySelectorAll('.map .path')].map((one) => one.ariaLabel).find((one) => one.startsWith('{path}'))"
    )
    await page.call(await page.find("button", edge), "function() { this.focus(); }")
    # The arrow keys move to the other path and back.
    await page.key("ArrowRight", 39)
    assert (await page.evaluate(label)).startswith(f"From {other} to {own}: ")
    await page.key("ArrowLeft", 37)
    assert await page.evaluate(label) == edge
    # Only one path is in the tab order.
    assert await page.evaluate("document.querySelectorAll('.map [tabindex=\"0\"]').length") == 1
    await page.key("Enter", 13)
    assert (await chosen(page, "From"), await chosen(page, "To")) == (own, other)
    await page.enter("Lost (%)", "20", "spinbutton")
    await page.press("Impair")
    await page.until(f"document.querySelector('.map .impaired')?.ariaLabel.startsWith('{path}')")
    assert "20 % lost" in await page.evaluate("document.querySelector('.map .impaired').ariaLabel")
    await shown.client.put(f"/v1/radio/paths/{other}/{own}", {"reachable": False})
    await page.until(f"document.querySelector('.map .deaf')?.ariaLabel === 'From {other} to {own}: nothing'")


# Player and colours


async def test_player_of_a_phone(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, "ams")
    await page.sees("Paused: Three Romances, Op. 11")
    await page.sees("Clara Schumann")
    await page.press("Play")
    await page.sees("Playing: Three Romances, Op. 11")
    await page.press("Next track")
    await page.sees("Playing: Violin Concerto in A major")
    await page.sees("2 of 3")
    await page.press("Previous track")
    await page.sees("Playing: Three Romances, Op. 11")
    await page.until("/0:0[1-9] of 4:00/.test(document.body.innerText)")
    await page.press("Louder")
    await shown.holds("volume", "0.5625")
    await page.until("document.querySelector('meter').value === 0.5625")
    await page.press("Pause")
    await page.sees("Paused: Three Romances, Op. 11")
    assert await violations(page) == []


async def test_player_of_a_watch(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, "smart-watch")
    await page.sees("Player (AMS)")
    await shown.client.put("/v1/characteristics/track/value", {"value": "Clair de lune"})
    await page.sees("Clair de lune")
    await page.press("Next track")


async def test_no_player_where_there_is_none(virtual: Stage, page: Page) -> None:
    await show(virtual, page, PROFILE)
    assert "Player" not in await page.text()


async def test_colours_are_chosen(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, "light-bulb")
    await page.open("colour")
    await page.set("colour, as a color", "#ff8000", "ColorWell")
    await page.press("Set colour")
    await shown.holds("colour", {"red": 255, "green": 128, "blue": 0})
    # The parts and the whole are kept consistent.
    await page.enter("blue", "64", "spinbutton")
    assert await page.evaluate("document.querySelector('.editor input[type=color]').value") == "#ff8040"
    assert await violations(page) == []


async def test_instructions_are_shown(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, "smart-lock")
    instructions = (await shown.client.get("/v1/accessory")).json["instructions"]
    assert instructions
    await page.sees(instructions.split("\n")[0])
    assert await violations(page) == []


# A stream that is interrupted


class Bridge:
    """A connection to the program that can be interrupted."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.is_open = True
        self.writers: list[asyncio.StreamWriter] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self._join, LOOPBACK, 0)
        yield f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}/"
        server.close()
        self.interrupt()

    def interrupt(self) -> None:
        self.is_open = False
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.is_open:
            return writer.transport.abort()
        there = await asyncio.open_connection(LOOPBACK, self.port)
        self.writers += [writer, there[1]]
        await asyncio.gather(carry(reader, there[1]), carry(there[0], writer), return_exceptions=True)


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while octets := await reader.read(65_536):
            writer.write(octets)
            await writer.drain()
    finally:
        writer.close()


async def test_nothing_is_lost_while_the_stream_is_away(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, PROFILE)
    bridge = Bridge(shown.client.port)
    page.requests.clear()
    async with bridge.running() as url:
        await page.go(url)
        await page.open("Events")
        stopped = "(document.body.innerText.match(/advertising-stopped/g) ?? []).length"

        async def pause_advertising() -> None:
            for verb in ("stop", "start"):
                await shown.client.post(f"/v1/advertising/main/{verb}")

        await pause_advertising()
        await page.until(f"{stopped} === 1")
        bridge.interrupt()
        await page.sees("The program does not answer")
        for _ in range(5):
            await pause_advertising()
        await shown.program.count("advertising-stopped", 6)
        bridge.is_open = True
        await page.until("document.getElementById('stream').dataset.state === 'live'")
        # All of them, and none twice.
        await page.until(f"{stopped} === 6")
        await pause_advertising()
        await page.until(f"{stopped} === 7")
