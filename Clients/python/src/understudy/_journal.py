"""The events so far, in order, and waiting for later ones."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from understudy import events
from understudy._event import Event

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True

T = TypeVar("T")
# Returns the awaited result if it is there, otherwise None.
Check = Callable[[], T | None]


class Journal:
    """All events of one source; one thread adds them, and any number of threads and tasks wait for them."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.over = False
        """Whether the source has ended, so that no more events come."""
        self._changed = threading.Condition()
        self._listeners: set[Callable[[], None]] = set()

    def add(self, raw: Mapping[str, Any], sequence: int | None = None) -> Event:
        """Adds an event that has just arrived."""
        event = events.event(raw, index=len(self.events), arrived=time.monotonic(), sequence=sequence)
        self.events.append(event)
        self.changed()
        return event

    def finish(self) -> None:
        """Records that the source has ended."""
        self.over = True
        self.changed()

    def changed(self) -> None:
        """Makes all waiting threads and tasks check again."""
        with self._changed:
            self._changed.notify_all()
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    def wait(self, check: Check[T], deadline: float) -> T | None:
        """Waits until `check` returns a result, and returns it.

        Returns None at the deadline (`time.monotonic()`), or when the source has ended.
        """
        with self._changed:
            while (found := check()) is None and not self.over:
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
        # The last events may have arrived between the check and the end.
        return check() if found is None else found

    async def wait_async(self, check: Check[T], deadline: float) -> T | None:
        """Waits in the same way, in a task."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def listener() -> None:
            try:
                loop.call_soon_threadsafe(changed.set)
            except RuntimeError:
                # The loop is closed, and its waiting tasks are gone.
                pass

        with self._changed:
            self._listeners.add(listener)
        try:
            while (found := check()) is None and not self.over:
                changed.clear()
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                # Checks once more, for events that arrived before the event was cleared.
                if (found := check()) is not None:
                    break
                try:
                    # Python 3.11's `wait_for` forgets that its task was cancelled when the event comes at once.
                    async with asyncio.timeout(left):
                        await changed.wait()
                except TimeoutError:
                    pass
            return check() if found is None else found
        finally:
            with self._changed:
                self._listeners.discard(listener)


def transcript(happened: Iterable[Event], begin: float | None = None, marked: frozenset[int] = frozenset()) -> str:
    """Returns the events, one per line, with the seconds since `begin` (`time.monotonic()`), or since the first event.

    The marked events begin with `>`.
    """
    lines = []
    for event in happened:
        begin = event.arrived if begin is None else begin
        name = f"{event.accessory}: " if event.accessory else ""
        mark = ">" if event.index in marked else " "
        lines.append(f"{mark}{event.arrived - begin:9.3f} s  {name}{event}")
    return "\n".join(lines) or "  nothing"
