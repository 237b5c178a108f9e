"""The questions of pairings as events of `OnPairing`, whose client answers for the user of the accessory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.any_pb2 import Any as Cookie
from google.protobuf.empty_pb2 import Empty
from pandora.host_pb2 import Connection
from pandora.security_pb2 import PairingEvent, PairingEventAnswer

from understudy._event import Event
from understudy.errors import UnderstudyError
from understudy.pandora._calls import Aborted, Invalid
from understudy.pandora._device import Device
from understudy.pandora._link import AccessoryLink, Link
from understudy.pandora._model import is_just_works

# The kinds of questions, and Pandora's names for them.
KINDS = {
    "consent": "just_works",
    "comparison": "numeric_comparison",
    "passkey": "passkey_entry_request",
    "display": "passkey_entry_notification",
}


@dataclass
class Asked:
    """A question that was sent as an event."""

    event: PairingEvent
    link: Link
    kind: str
    reply: Callable[[Mapping[str, Any]], None]
    ticket: int | None = None
    """The ticket of an accessory's question."""
    is_open: bool = True


class Pairings:
    """Sends the questions to the stream of `OnPairing`, and answers them if there is no stream."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._events: asyncio.Queue[PairingEvent] | None = None
        self._asked: list[Asked] = []
        self._answering: set[asyncio.Task[None]] = set()
        device.listeners.append(self._listen)

    def begin(self) -> asyncio.Queue[PairingEvent]:
        """Begins a stream and returns its events. Raises `Aborted` if there is another stream or a connection."""
        if self._events is not None:
            raise Aborted("already streaming pairing events")
        if self.device.links:
            raise Aborted("the `OnPairing` method shall be initiated before establishing any connections.")
        self._events, self._asked = asyncio.Queue(), []
        return self._events

    def end(self) -> None:
        """Ends the stream, and refuses the questions that it has not answered."""
        self._events = None
        for asked in self._asked:
            if asked.is_open and asked.kind != "display":
                asked.reply({"accept": False})
        self._asked = []

    def answer(self, answer: PairingEventAnswer) -> None:
        """Handles an answer of the stream. Ignores late answers. Raises `Invalid`."""
        told = [asked for asked in self._asked if asked.event == answer.event]
        if not told:
            raise Invalid("the answer names no pairing event of this stream")
        asked = next((asked for asked in told if asked.is_open), None)
        if asked is None or asked.kind == "display":
            return
        asked.is_open = False
        asked.reply(_reply(asked.kind, answer))

    @property
    def is_streamed(self) -> bool:
        """Whether there is a stream."""
        return self._events is not None

    def tell(
        self,
        link: Link,
        kind: str,
        digits: int | None,
        reply: Callable[[Mapping[str, Any]], None],
        ticket: int | None = None,
    ) -> Asked:
        """Sends a question to the stream, which must exist. `reply` gets the arguments of `Accessory.answer`."""
        assert self._events is not None
        event = PairingEvent(connection=Connection(cookie=Cookie(value=link.number.to_bytes(4, "big"))))
        if digits is None:
            getattr(event, KINDS[kind]).CopyFrom(Empty())
        else:
            setattr(event, KINDS[kind], digits)
        asked = Asked(event, link, kind, reply, ticket)
        self._asked = [earlier for earlier in self._asked if earlier.link.is_open or earlier.is_open]
        self._asked.append(asked)
        self._events.put_nowait(event)
        self.device.bell.ring()
        return asked

    def _listen(self, link: AccessoryLink, event: Event) -> None:
        if event.kind == "question" and event["kind"] in KINDS:
            self._ask(link, event["ticket"], event["kind"], event.get("digits"))
        elif event.kind == "question-ended":
            for asked in self._asked:
                if asked.ticket == event["ticket"] and asked.link is link:
                    asked.is_open = False

    def _ask(self, link: AccessoryLink, ticket: int, kind: str, digits: str | None) -> None:
        if self._events is None:
            # No client can compare or type. Just Works needs only consent.
            if kind != "display":
                self._answer(link, ticket, {"accept": kind == "consent"})
        elif kind == "consent":
            self._carry_out(self._ask_for_consent(link, ticket))
        else:
            self._tell_question(link, ticket, kind, digits)

    async def _ask_for_consent(self, link: AccessoryLink, ticket: int) -> None:
        """Asks for consent to Just Works, and consents to other models: Pandora has separate events for them.

        Over BR/EDR, the question comes only with Just Works.
        """
        asks = link.is_classic or await is_just_works(link.accessory, link.handle, self.device.security)
        if asks and self._events is not None:
            self._tell_question(link, ticket, "consent", None)
        else:
            await link.accessory.answer(ticket, accept=True)

    def _tell_question(self, link: AccessoryLink, ticket: int, kind: str, digits: str | None) -> None:
        shown = None if digits is None else int(digits)
        self.tell(link, kind, shown, lambda reply: self._answer(link, ticket, reply), ticket)

    def _answer(self, link: AccessoryLink, ticket: int, reply: Mapping[str, Any]) -> None:
        self._carry_out(link.accessory.answer(ticket, **reply))

    def _carry_out(self, answer: Coroutine[Any, Any, None]) -> None:
        async def carry_out() -> None:
            try:
                await answer
            except UnderstudyError:
                # The question has timed out, or the central has disconnected.
                pass

        task = asyncio.create_task(carry_out())
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)


def _reply(kind: str, answer: PairingEventAnswer) -> Mapping[str, Any]:
    """Returns the arguments of `Accessory.answer`. Raises `Invalid`."""
    variant = answer.WhichOneof("answer")
    if kind == "passkey":
        if variant is None:
            return {"accept": False}
        if variant != "passkey" or not 0 <= (answer.passkey or 0) <= 999_999:
            raise Invalid("a passkey_entry_request is answered with a passkey from 0 to 999999, or with nothing")
        return {"value": answer.passkey or 0}
    if variant != "confirm":
        raise Invalid(f"a {KINDS[kind]} is answered with confirm")
    return {"accept": bool(answer.confirm)}
