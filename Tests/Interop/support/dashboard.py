"""The dashboard of a running accessory, in a browser."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from axe_core_python.base import AXE_SCRIPT

from conftest import Stage
from support.controllers import LOOPBACK
from support.page import Page
from support.program import Program
from support.web import Client

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@dataclass
class Shown:
    """A running accessory, its page, and its API."""

    program: Program
    client: Client
    page: Page

    async def value(self, id: str) -> Any:
        return (await self.client.get(f"/v1/characteristics/{id}/value")).json["value"]

    async def holds(self, id: str, value: Any) -> None:
        """Waits until a characteristic has that value."""
        async with asyncio.timeout(30):
            while (found := await self.value(id)) != value:
                await asyncio.sleep(0.02)
        assert found == value


async def show(virtual: Stage, page: Page, profile: str | Path, *options: str) -> Shown:
    program = await virtual.run(profile, "--http", f"{LOOPBACK}:0", *options)
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    await page.go(client.url)
    return Shown(program, client, page)


def row(id: str) -> str:
    """Returns the script for the row of a characteristic, which begins with its id or its label."""
    return (
        "[...document.querySelectorAll('.value-row')].find((one) =>"
        f" one.querySelector('.label').textContent === '{id.replace('-', ' ')}')"
    )


async def picture(page: Page, id: str) -> str:
    """Returns what a value looks like, in words."""
    return " ".join((await page.evaluate(f"{row(id)}?.querySelector('.picture').innerText ?? 'nothing'")).split())


async def level(page: Page, id: str) -> str:
    """Returns the length of the bar in the gauge of a value."""
    length: str = await page.evaluate(f"{row(id)}.querySelector('.level').style.inlineSize")
    return length


async def looks(page: Page, id: str, expected: str) -> None:
    """Waits until a value looks like that."""
    try:
        async with asyncio.timeout(20):
            while (found := await picture(page, id)) != expected:
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise AssertionError(f"{id} looks like {found!r}, not {expected!r}") from None


async def violations(page: Page) -> list[list[Any]]:
    """Returns the findings of axe-core on the current page."""
    await page.evaluate(AXE_SCRIPT + ";0")
    found: list[list[Any]] = await page.evaluate(
        f"axe.run(document, {{ runOnly: {RULES} }})"
        ".then((all) => all.violations.map((one) => [one.impact, one.id, one.nodes.slice(0, 3)"
        ".map((node) => node.html.slice(0, 200) + ' ' + node.failureSummary)]))"
    )
    return found
