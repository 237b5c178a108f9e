"""Waits for conditions, and a user who types at the accessory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from understudy import Accessory

PATIENCE = 30.0


async def waited(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)


@asynccontextmanager
async def person_at(accessory: Accessory, displayed: Sequence[int]) -> AsyncIterator[None]:
    """Accepts comparisons, and types the passkey that the central displays, possibly after the accessory has asked for it."""

    async def type_passkey() -> None:
        question = await accessory.aio.expect("question", kind="passkey", within=PATIENCE)
        await waited(lambda: displayed)
        await accessory.aio.answer(question, value=displayed[0])

    typing = asyncio.create_task(type_passkey())
    try:
        async with accessory.aio.answering(lambda question: {"accept": True}, kind="comparison"):
            yield
    finally:
        typing.cancel()
