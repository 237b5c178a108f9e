"""Waits for the state of the device: each change rings the bell, and each waiting call then checks the state again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from understudy.pandora._calls import WasReset

T = TypeVar("T")


class Bell:
    """Rings at every change of the device's state."""

    def __init__(self) -> None:
        self.calls = 0
        """The number of calls in progress."""
        self._resets = 0
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def is_awaited(self) -> bool:
        """Whether a call waits."""
        return bool(self._waiting)

    def ring(self) -> None:
        """Makes every waiting call check again."""
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    def reset(self) -> None:
        """Ends every wait with `WasReset`."""
        self._resets += 1
        self.ring()

    async def until(self, check: Callable[[], T | None]) -> T:
        """Waits until `check` returns something other than None, and returns it. Raises `WasReset`."""
        resets = self._resets
        while (found := check()) is None:
            waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.add(waiting)
            try:
                await waiting
            finally:
                self._waiting.discard(waiting)
            if resets != self._resets:
                raise WasReset
        return found
