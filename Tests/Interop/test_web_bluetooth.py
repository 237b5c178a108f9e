"""Web Bluetooth: pages in a real browser, which finds an accessory through BlueZ's D-Bus API."""

from __future__ import annotations

import base64
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

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


async def press_connect(browser: Page) -> None:
    # Releasing the space bar presses a button. By then the browser has seen a user gesture, without which no page gets a device.
    await browser.call(await browser.find("button", "Connect"), "function() { this.focus(); }")
    await browser.key(" ", 32)


async def connect(browser: Page) -> None:
    await press_connect(browser)
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


# Everything that a page can do with a value; `found` holds the results.
STEPS = """<!doctype html><meta charset="utf-8"><button>Connect</button><p></p><script>
const SERVICE = "A_SERVICE";
const uuid = (number) => SERVICE.replace("a0000000", `a000000${number}`);
const text = (value) => new TextDecoder().decode(value);
const name = (error) => `${error.name}: ${error.message}`;
async function steps() {
  const device = await navigator.bluetooth.requestDevice({ filters: [{ services: [SERVICE] }] });
  const service = await (await device.gatt.connect()).getPrimaryService(SERVICE);
  const [note, secret] = [await service.getCharacteristic(uuid(1)), await service.getCharacteristic(uuid(2))];
  const found = { long: text(await note.readValue()) };
  found.description = text(await (await note.getDescriptor("gatt.characteristic_user_description")).readValue());
  await note.writeValueWithoutResponse(new TextEncoder().encode("quick"));
  await note.writeValueWithResponse(new TextEncoder().encode("y".repeat(400)));
  found.secret = text(await secret.readValue());
  found.refusal = await (await service.getCharacteristic(uuid(3))).readValue().catch(name);
  return found;
}
document.querySelector("button").onclick = () => steps().catch(name).then((found) => { window.found = found; });
</script>"""
SERVICE = "a0000000-7c4d-4b0e-9e4b-1f6e2a1b9c77"
LONG = "long " * 60


def numbered(number: int, id: str, **fields: Any) -> dict[str, Any]:
    return {"id": id, "uuid": SERVICE.replace("a0000000", f"a000000{number}"), **fields}


@pytest.mark.accessory(
    {
        "understudy": 1,
        "name": "Notebook",
        "advertising": [
            {
                "id": "main",
                "data": {"flags": ["general"], "services": [SERVICE]},
                "scan-response": {"name": "complete"},
            }
        ],
        "security": {"pairing": "just-works", "bonding": True},
        "services": [
            {
                "uuid": SERVICE,
                "characteristics": [
                    numbered(
                        1,
                        "note",
                        properties=["read", "write", "write-without-response"],
                        format="utf8",
                        **{"max-length": 512},
                        value=LONG,
                        description="A note",
                    ),
                    numbered(2, "secret", properties=["read"], format="utf8", value="hidden", permissions={"read": "encrypted"}),
                    numbered(3, "refused", properties=["read"], value=b"\0", **{"on-read": {"error": 0x80}}),
                ],
            }
        ],
    }
)
async def test_a_page_reads_writes_and_pairs(accessory: Accessory, browser: Page, tmp_path: Path) -> None:
    place = tmp_path / "steps.html"
    place.write_text(STEPS.replace("A_SERVICE", SERVICE))
    await browser.load(place.as_uri())
    await press_connect(browser)
    await browser.choose("Notebook")
    assert await browser.until("window.found") == {
        "long": LONG,
        "description": "A note",
        "secret": "hidden",
        "refusal": "NotSupportedError: GATT operation failed for unknown reason.",
    }
    for value in ("quick", "y" * 400):
        await accessory.aio.expect("write", characteristic="note", value=value)
    await accessory.aio.expect("paired")


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
