"""The central of the reference device over BR/EDR, which inquires and connects.

It is `understudy central`, on the controller of the accessory, so it has the accessory's address. The accessory is away
meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from understudy import aio
from understudy._event import Event
from understudy.errors import UnderstudyError
from understudy.pandora._calls import Aborted, Unavailable, Unimplemented
from understudy.pandora._device import Device
from understudy.pandora._link import Link, octets_of, text_of
from understudy.pandora._pairing import Asked, Pairings
from understudy.pandora._whole import whole

NO_BR_EDR = "the reference device uses LE alone: start it with --br-edr"
# The program ends an inquiry only after its whole time. This is 4 of the steps of 1.28 s, in which each device scans
# at least once with the usual interval of 2.56 s.
INQUIRY = "5.12 s"
# How long the end of a connection may take when the program ends (s). A peer that is reset at the same time does not
# acknowledge it.
ENDS_WITHIN = 0.5
# Core 5.4 Vol 1 Part F 1.3.
PAGE_TIMEOUT = 0x04

NotConnected = Literal["peer_not_found", "connection_already_exists"]


class Run:
    """A run of the central's program. It carries out one command after the other."""

    def __init__(self, place: str, security: Mapping[str, Any]) -> None:
        self.program = aio.Program.launch("central", "--br-edr", "--json", "--controller", place, takes_input=True)
        self.is_over = False
        self.refusals: list[str] = []
        """The reasons of commands that have failed."""
        self.failure = 0
        """The error code of the last connection that could not be established."""
        self.begun = 0
        """The number of inquiries that were requested."""
        self.ended = 0
        self.bonded: set[str] = set()
        """The addresses of the devices with a bond."""
        self.order("security", **security)

    def order(self, verb: str, **fields: Any) -> None:
        """Requests a command. Does nothing if the program has ended."""
        with suppress(OSError, ValueError):
            self.program.write(json.dumps({"do": verb, **fields}).encode() + b"\n")

    def inquire(self) -> None:
        """Requests an inquiry, unless one is still in progress."""
        if self.begun == self.ended:
            self.begun += 1
            self.order("inquire", **{"for": INQUIRY})

    def follow(self, event: Event) -> None:
        """Updates the state from an event."""
        match event.kind:
            case "fault":
                self.refusals.append(event["reason"])
            case "connection-failed":
                self.failure = event["code"]
            case "inquiring" if not event["on"]:
                self.ended += 1
            case "paired" if event["bonded"]:
                self.bonded.add(event["peer"])
            case "bond-removed":
                self.bonded.discard(event["peer"])

    async def end(self) -> None:
        """Ends its connection and the program."""
        self.order("quit")
        with suppress(UnderstudyError):
            await self.program.wait(ENDS_WITHIN)
        await self.program.kill()

    @property
    def ending(self) -> str:
        """Why it has ended."""
        return self.program.errors.strip() or "the central over BR/EDR has ended"


@dataclass
class ClassicLink(Link):
    """A connection that the reference device has made over BR/EDR."""

    run: Run = field(kw_only=True)
    handle: int = field(kw_only=True)
    asked: Asked | None = None
    """The last question of its pairing."""

    async def disconnect(self) -> None:
        self.run.order("disconnect")

    async def pair(self) -> None:
        if not self.is_pairing:
            self.is_pairing = True
            self.run.order("pair", **({} if self.protection == "none" else {"anew": True}))

    def answer(self, reply: Mapping[str, Any]) -> None:
        """Answers the question of its pairing; `reply` has the arguments of `Accessory.answer`."""
        self.run.order("answer", **({"passkey": reply["value"]} if "value" in reply else reply))

    def follow(self, event: Event) -> None:
        """Updates the state from an event."""
        match event.kind:
            case "disconnected":
                self.end()
            case "security":
                self.protection, self.is_pairing = event["protection"], False
            case "pairing":
                self.is_pairing = True
            case "paired":
                self.is_pairing = False
                self.paired += 1
            case "pairing-failed" | "encryption-failed":
                self.fail()
            case "pairing-question-ended" if self.asked:
                self.asked.is_open = False

    def fail(self) -> None:
        """Handles the failure of its pairing."""
        self.is_pairing = False
        self.failed += 1


class ClassicCentral:
    """Inquires and connects over BR/EDR. Its program is started when it is first needed.

    The program ends when the accessory is needed again; its bonds end with it.
    """

    def __init__(self, device: Device, pairings: Pairings) -> None:
        self._device, self._pairings = device, pairings
        self._run: Run | None = None
        self._watching: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._uses = 0
        self._paging = asyncio.Lock()
        self._hearing: list[deque[Event]] = []

    # The accessory's controller

    @property
    def is_busy(self) -> bool:
        """Whether it inquires, connects, or has a connection."""
        return bool(self._uses or self._links)

    async def give_back(self) -> None:
        """Ends its connection and its program."""
        run, self._run = self._run, None
        if run:
            await run.end()
        if self._watching:
            await self._watching

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        self._uses += 1
        try:
            yield
        finally:
            self._uses -= 1
            self._device.bell.ring()

    async def _opened(self) -> Run:
        if not self._device.is_classic:
            raise Unimplemented(NO_BR_EDR)
        async with self._turn:
            place = await self._device.lend(self)
            if self._run is None:
                self._run = Run(place, self._device.security)
                self._watching = asyncio.create_task(self._watch(self._run))
            return self._run

    # Events

    async def _watch(self, run: Run) -> None:
        """Follows the events of a run to its end."""
        journal, position = run.program._core.journal, 0
        while event := await journal.wait_async(
            lambda: journal.events[position] if position < len(journal.events) else None, math.inf
        ):
            position += 1
            self._follow(run, event)
        run.is_over = True
        if self._run is run:
            self._run = None
        for link in self._links:
            self._device.drop(link)
        self._device.bell.ring()

    def _follow(self, run: Run, event: Event) -> None:
        run.follow(event)
        link = next((link for link in self._links if link.handle == event.connection), None)
        if event.kind == "connected" and event.connection is not None:
            self._add(run, event.connection, event)
        elif event.kind == "found":
            for heard in self._hearing:
                heard.append(event)
        elif event.kind == "fault":
            for pairing in (link for link in self._links if link.is_pairing):
                pairing.fail()
        elif link:
            link.follow(event)
            if event.kind == "pairing-question":
                self._ask(link, event["kind"], event.get("digits"))
            if not link.is_open:
                self._device.drop(link)
        self._device.bell.ring()

    def _add(self, run: Run, handle: int, event: Event) -> None:
        link = ClassicLink(
            self._device.next_number(),
            octets_of(event["peer"]),
            event["interval_ms"],
            event["latency"],
            event["timeout_ms"],
            is_classic=True,
            run=run,
            handle=handle,
        )
        self._device.links[link.number] = link

    def _ask(self, link: ClassicLink, kind: str, digits: str | None) -> None:
        if self._pairings.is_streamed:
            shown = None if digits is None else int(digits)
            link.asked = self._pairings.tell(link, kind, shown, link.answer)
        elif kind != "display":
            # No client can compare or type. Just Works needs only consent.
            link.answer({"accept": kind == "consent"})

    # Inquiries and connections

    @property
    def _links(self) -> list[ClassicLink]:
        return [link for link in self._device.links.values() if isinstance(link, ClassicLink)]

    async def inquire(self) -> AsyncGenerator[Event, None]:
        """Yields an event `found` for every response, until the generator is closed."""
        heard = deque[Event]()
        with self._in_use():
            run = await self._opened()
            self._hearing.append(heard)
            try:
                while True:
                    run.inquire()
                    await self._device.bell.until(
                        lambda: True if heard or run.begun == run.ended or run.is_over else None
                    )
                    while heard:
                        yield heard.popleft()
                    if run.is_over:
                        raise Unavailable(run.ending)
            finally:
                self._hearing.remove(heard)

    async def connect(self, address: bytes) -> ClassicLink | NotConnected:
        """Connects to a device."""
        with self._in_use():
            async with self._paging:
                if any(link.is_classic and link.peer == address for link in self._device.links.values()):
                    return "connection_already_exists"
                if self._links:
                    raise Aborted("the central over BR/EDR has one connection at a time: disconnect first")
                return await whole(self._page(await self._opened(), address), self._end)

    async def _page(self, run: Run, address: bytes) -> ClassicLink | NotConnected:
        refused, run.failure = len(run.refusals), 0
        run.order("page", peer=text_of(address))
        await self._device.bell.until(
            lambda: True if self._links or len(run.refusals) > refused or run.is_over else None
        )
        if links := self._links:
            return links[0]
        if run.is_over:
            raise Unavailable(run.ending)
        if run.failure == PAGE_TIMEOUT:
            return "peer_not_found"
        raise Aborted(run.refusals[-1])

    async def _end(self, made: ClassicLink | NotConnected) -> None:
        """Ends a connection that nobody knows."""
        if isinstance(made, ClassicLink) and made.is_open:
            await made.disconnect()
            await self._device.bell.until(lambda: None if made.is_open else True)

    # Bonds

    def is_bonded(self, address: str) -> bool:
        """Whether there are keys for a device."""
        return self._run is not None and address in self._run.bonded

    async def forget(self, address: str) -> None:
        """Removes the keys of all devices if there are some for this one: the program can only remove all."""
        if (run := self._run) and address in run.bonded:
            run.order("forget")
            await self._device.bell.until(lambda: True if run.is_over or address not in run.bonded else None)
