"""Waiting for the state of the device: whatever changes it rings, and whoever waits looks again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from understudy.pandora._calls import WasReset

T = TypeVar("T")


class Bell:
    """Rings at every change."""

    def __init__(self) -> None:
        self.calls = 0
        """How many calls are being answered."""
        self._resets = 0
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def is_awaited(self) -> bool:
        """Whether anybody waits."""
        return bool(self._waiting)

    def ring(self) -> None:
        """Lets everybody who waits look again."""
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    def reset(self) -> None:
        """Ends every wait with `WasReset`."""
        self._resets += 1
        self.ring()

    async def until(self, check: Callable[[], T | None]) -> T:
        """What the check finds, as soon as it finds something."""
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
