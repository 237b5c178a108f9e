"""Answers questions with a function of the test for the duration of a block: rules for reads and writes, in Python."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Self

from understudy._accessory import AccessoryCore
from understudy._event import Event
from understudy._expectation import Match
from understudy._steps import Plan, Wait, run, run_async
from understudy.errors import Conflict, NotFound

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True

Reply = Callable[[Event], Mapping[str, Any] | None]
"""Gets the event `question`, and returns the arguments of `Accessory.answer`, such as `{"error": 0x80}`; None for no answer."""
_FOR_EVER = 1e6


class _Rule:
    """The questions to answer, and the function that answers them."""

    def __init__(self, accessory: AccessoryCore, reply: Reply, fields: Mapping[str, Any]) -> None:
        self.accessory, self.reply, self.match = accessory, reply, Match("question", **fields)
        self.journal = accessory.program.journal
        self.next = len(self.journal.events)
        self.is_over = False

    def end(self) -> None:
        self.is_over = True
        self.journal.changed()

    def plan(self) -> Plan[None]:
        while question := (yield from Wait.plan(self.journal, self._look, time.monotonic() + _FOR_EVER)):
            if isinstance(question, Event) and (reply := self.reply(question)) is not None:
                if not isinstance(reply, Mapping):
                    raise TypeError(
                        f"a question is answered with a dict of what `answer` takes, as {{'value': 7}}, {{'accept': True}} or "
                        f"{{'error': 0x80}}, or with None; the function returned {reply!r}"
                    )
                try:
                    yield from self.accessory.answer(question, **reply)
                except (Conflict, NotFound):
                    # The question has timed out, or its central is gone; `question-ended` reports it.
                    pass

    def _look(self) -> Event | bool | None:
        """The next question; False at the end."""
        while not self.is_over and self.next < len(self.journal.events):
            event = self.journal.events[self.next]
            self.next += 1
            if self.accessory.witness.sees(event) and self.match(event):
                return event
        return False if self.is_over else None


class Answering:
    """Answers in its own thread. Exceptions of the function are raised at the end of the block."""

    def __init__(self, accessory: AccessoryCore, reply: Reply, fields: Mapping[str, Any]) -> None:
        self._rule = _Rule(accessory, reply, fields)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="understudy answers", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._rule.end()
        self._thread.join()
        if self._error:
            raise self._error

    def _run(self) -> None:
        try:
            run(self._rule.plan())
        except BaseException as error:
            self._error = error


class AsyncAnswering:
    """Answers in its own task. Exceptions of the function are raised at the end of the block."""

    def __init__(self, accessory: AccessoryCore, reply: Reply, fields: Mapping[str, Any]) -> None:
        self._rule = _Rule(accessory, reply, fields)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(run_async(self._rule.plan()))
        return self

    async def __aexit__(self, *error: object) -> None:
        self._rule.end()
        await self._task
