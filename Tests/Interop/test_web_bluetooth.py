"""Web Bluetooth: pages in a real browser, which finds an accessory through BlueZ's D-Bus API."""

from __future__ import annotations

import base64
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from support.page import Page, browsing
from support.program import REPOSITORY

from understudy import Accessory
from understudy.bluez import BlueZ, PrivateBus

HEART_RATE = REPOSITORY / "Examples/WebBluetooth/heart-rate.html"
pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def browser(accessory: Accessory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[Page]:
    """A browser on a private bus on which the accessory is seen."""
    bus = await PrivateBus.start()
    service = await BlueZ.start(bus.address, accessory.air.joining[0])
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address)
    try:
        async with browsing(tmp_path / "browser", "--enable-features=WebBluetooth") as page:
            yield page
            assert page.complaints == []
    finally:
        await service.stop()
        await bus.stop()


async def connect(browser: Page) -> None:
    # The space bar presses a button when it goes up. By then the browser knows that a person acts, without whom no page gets a device.
    await browser.call(await browser.find("button", "Connect"), "function() { this.focus(); }")
    await browser.key(" ", 32)
    await browser.choose("Heart Rate Belt")
    await browser.sees("Connected to Heart Rate Belt")


@pytest.mark.accessory("heart-rate")
async def test_the_example_shows_the_heart_rate(accessory: Accessory, browser: Page) -> None:
    accessory["battery-level"].value = 87
    await browser.load(HEART_RATE.as_uri())
    await connect(browser)
    for text in ("chest", "87 %"):
        await browser.sees(text)
    # The rate is sent in one octet, then in two.
    for rate, energy in ((142, 17), (300, 1234)):
        accessory["measurement"].notify({"bpm": rate, "energy": energy})
        await browser.sees(f"{rate} beats per minute")
        await browser.sees(f"{energy} kJ")
    await browser.until("document.getElementById('curve').points.length >= 2")
    await browser.press("Reset energy")
    await accessory.aio.expect("write", characteristic="control-point", value=1)
    await browser.until("document.getElementById('energy').textContent === '0 kJ'")

    await browser.press("Disconnect")
    await accessory.aio.expect("disconnected")
    await browser.sees("Not connected")
    await connect(browser)
    (connection,) = accessory.connections()
    accessory.connection(connection.connection).disconnect()
    await browser.sees("Not connected")


@pytest.mark.skipif(
    "UNDERSTUDY_SCREENSHOTS" not in os.environ, reason="scripts/screenshots makes the pictures of docs/"
)
@pytest.mark.accessory("heart-rate", speed=5)
async def test_screenshots(accessory: Accessory, browser: Page) -> None:
    await browser.resize(480, 490)
    await browser.load(HEART_RATE.as_uri())
    await connect(browser)
    await browser.until("document.getElementById('curve').points.length >= 60", within=60)
    answer = await browser.command("Page.captureScreenshot", format="png")
    Path(os.environ["UNDERSTUDY_SCREENSHOTS"], "web-bluetooth.png").write_bytes(base64.b64decode(answer["data"]))
