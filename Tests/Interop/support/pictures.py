"""Pictures of pages for docs/, which scripts/screenshots makes."""

from __future__ import annotations

import asyncio
import base64
import os
from pathlib import Path

import pytest

from support.page import Page
from support.png import with_palette

# The most octets of a picture in the repository.
LIMIT = 150_000
marks = [
    pytest.mark.timeout(180),
    pytest.mark.skipif(
        "UNDERSTUDY_SCREENSHOTS" not in os.environ, reason="scripts/screenshots makes the pictures of docs/"
    ),
]


async def take(page: Page, name: str, width: int, height: int, scheme: str) -> None:
    await page.scheme(scheme)
    await page.resize(width, height)
    # The next update of a conversation brings its end into view again.
    await page.evaluate("document.querySelector('.newest:not([hidden])')?.click()")
    await asyncio.sleep(0.5)
    answer = await page.command("Page.captureScreenshot", format="png")
    octets = with_palette(base64.b64decode(answer["data"]))
    assert len(octets) < LIMIT, (name, len(octets))
    (Path(os.environ["UNDERSTUDY_SCREENSHOTS"]) / f"{name}.png").write_bytes(octets)
