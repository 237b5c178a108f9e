"""Operations that a cancelled call must not leave half done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def whole(operation: Coroutine[Any, Any, T], undo: Callable[[T], Awaitable[None]] | None = None) -> T:
    """Awaits an operation. If the caller is cancelled, waits for the operation's end, then undoes it with `undo`."""
    task = asyncio.ensure_future(operation)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.cancelled():
            await asyncio.wait({task})
        if undo and not task.cancelled() and task.exception() is None:
            await undo(task.result())
        raise
