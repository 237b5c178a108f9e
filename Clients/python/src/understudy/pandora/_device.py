"""The reference device: an accessory, which restarts for each different advertisement, and its links."""

from __future__ import annotations

import asyncio
import math
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, Self

from understudy import aio
from understudy._event import Event
from understudy._options import Profile
from understudy.errors import StartFailed, UnderstudyError
from understudy.pandora._bell import Bell
from understudy.pandora._calls import Aborted, Invalid, Unavailable, Unimplemented
from understudy.pandora._link import AccessoryLink, Link, octets_of
from understudy.pandora._request import IDLE, Identity, Settings, flow
from understudy.pandora._whole import whole
from understudy.state import Bond

# For a profile that does not pair: every association model is possible.
SECURITY: Mapping[str, Any] = {
    "pairing": "keyboard-display",
    "keys": {"distributed": ["encryption", "identity", "signing"], "wanted": ["encryption", "identity", "signing"]},
}
# Every decision goes to the client of `OnPairing`.
ANSWERS = {"consent": "ask", "comparison": "ask", "passkey": "ask", "display": "ask"}
INVALID_PROFILE = 65
# Large enough to still hold the Pairing Request when the accessory asks for consent.
RING = "64KB"
# How long a reset waits for calls to end (s).
CALLS_END_WITHIN = 5.0


class Borrower(Protocol):
    """Another program that uses the accessory's controller, while the accessory is away."""

    @property
    def is_busy(self) -> bool:
        """Whether it needs the controller now."""

    async def give_back(self) -> None:
        """Ends the program, and with it all that it does."""


class Device:
    """An accessory as Pandora sees it: one device whose advertisements, links and bonds come and go."""

    def __init__(
        self, profile: Profile, controller: str, arguments: list[str], capability: str | None, *, classic: bool
    ) -> None:
        self.bell = Bell()
        self.name = ""
        self.address = b""
        """Its public address, or its static one if the controller has none; most significant octet first."""
        self.links: dict[int, Link] = {}
        """The open links, by number."""
        self.listeners: list[Callable[[AccessoryLink, Event], None]] = []
        """Called with every event of an accessory's link, after the link has handled it."""
        self.on_reset: list[Callable[[bool], Awaitable[None]]] = []
        """Called at a reset; the argument is whether to remove bonds."""
        self.folder = tempfile.TemporaryDirectory(prefix="understudy-pandora-")
        """For sockets, and the state that outlives a run: bonds and values."""
        self._profile, self._controller, self._arguments = profile, controller, arguments
        self._capability, self.is_classic = capability, classic
        self.security: Mapping[str, Any] = {}
        """How it pairs, as in a profile."""
        self._modes: dict[str, str | bool] = {}
        """The keys of `classic` that clients have changed."""
        self._identities: dict[Identity, bool] = {}
        self._turn = asyncio.Lock()
        self._accessory: aio.Accessory | None = None
        self._settings: Settings | None = None
        self._borrower: Borrower | None = None
        self._bonds: list[Bond] = []
        self._watching: asyncio.Task[None] | None = None
        self._count = 0

    @classmethod
    async def start(
        cls,
        profile: Profile,
        controller: str,
        arguments: list[str],
        capability: str | None = None,
        *,
        classic: bool = False,
    ) -> Self:
        """Starts the accessory without an advertisement. Raises `UnderstudyError`."""
        device = cls(profile, controller, arguments, capability, classic=classic)
        try:
            await device._begin()
        except BaseException:
            await device.stop()
            raise
        return device

    async def stop(self) -> None:
        """Ends the accessory and deletes its state."""
        self.bell.reset()
        await self._take_back()
        await self._end_run()
        self.folder.cleanup()

    async def _begin(self) -> None:
        try:
            accessory = await self._start(Settings("public", IDLE))
        except StartFailed as error:
            if "public address" not in str(error):
                raise
            self._identities["public"] = False
            accessory = await self._start(Settings("static", IDLE))
        self.name, self.address = accessory.name, octets_of(accessory.address)
        security = dict(await accessory.security())
        if security.get("pairing", "none") == "none":
            security = dict(SECURITY)
        if self._capability:
            security["pairing"] = self._capability
        self.security = {**security, "answers": ANSWERS}
        await accessory.set_security(self.security)

    # Runs

    async def running(self) -> aio.Accessory:
        """Returns the accessory, and starts it if it has ended or is away."""
        async with self._turn:
            await self._reclaim()
            if self._accessory is None:
                await self._start(Settings("public" if self.has_public_address else "static", IDLE))
            assert self._accessory
            return self._accessory

    async def run(self, settings: Settings) -> aio.Accessory:
        """Returns the accessory with these settings. First ends a run with other settings, which must have no links."""
        async with self._turn:
            await self._reclaim()
            if self._accessory and settings == self._settings:
                return self._accessory
            if settings.identity == "public" and not self.has_public_address:
                raise Unimplemented("the controller has no public address: use RANDOM")
            if self.accessory_links:
                raise Aborted("a central is connected, and another advertisement needs a restart: disconnect first")
            await whole(self._end_run())
            try:
                return await self._start(settings)
            except StartFailed as error:
                raise Invalid(str(error)) if error.code == INVALID_PROFILE else Unavailable(str(error)) from error

    async def set_modes(self, discoverable: str | None = None, connectable: bool | None = None) -> None:
        """Changes whether devices find the accessory over BR/EDR and connect to it, in this run and the next ones."""
        if not self.is_classic:
            raise Unimplemented("the reference device uses LE alone: start it with --br-edr")
        accessory = await self.running()
        if discoverable is not None:
            self._modes["discoverable"] = discoverable
        if connectable is not None:
            self._modes["connectable"] = connectable
        await accessory.set_modes(discoverable=discoverable, connectable=connectable)

    @property
    def has_public_address(self) -> bool:
        """Whether the controller has a public address."""
        return self._identities.get("public", True)

    async def _start(self, settings: Settings) -> aio.Accessory:
        changes = {"advertising": settings.advertising, "identity.address": settings.identity}
        if self.is_classic:
            changes["transports"] = "[le, br-edr]"
        for key, value in self._modes.items():
            changes[f"classic.{key}"] = str(value).lower()
        if self.security:
            changes["security"] = flow(self.security)
        accessory = await aio.Accessory.start(
            self._profile,
            controller=self._controller,
            wait=False,
            state=f"{self.folder.name}/state",
            arguments=[
                *(word for key, value in changes.items() for word in ("--set", f"{key}={value}")),
                *("--ring", RING, "--allow-bridge", f"unix:{self.folder.name}"),
                *self._arguments,
            ],
        )
        self._accessory, self._settings = accessory, settings
        self._watching = asyncio.create_task(self._watch(accessory))
        return accessory

    async def _end_run(self) -> None:
        accessory, self._accessory, self._settings = self._accessory, None, None
        if accessory:
            await accessory.stop()
        if self._watching:
            await self._watching

    # The controller

    async def lend(self, borrower: Borrower) -> str:
        """Ends the accessory, and returns its controller. The accessory is away until a call needs it.

        Raises `Aborted` if a central is connected.
        """
        async with self._turn:
            if self.accessory_links:
                raise Aborted("a central is connected, and the accessory's controller is needed: disconnect first")
            if self._borrower is None:
                self._bonds = await self._accessory.bonds() if self._accessory else []
                await whole(self._end_run())
                self._borrower = borrower
            return self._controller

    @property
    def is_away(self) -> bool:
        """Whether the accessory is away without need."""
        return self._borrower is not None and not self._borrower.is_busy

    async def bonds(self) -> list[Bond]:
        """Returns the bonds of the accessory, also while it is away."""
        return self._bonds if self._borrower else await (await self.running()).bonds()

    async def _reclaim(self) -> None:
        if self._borrower and self._borrower.is_busy:
            raise Aborted("the central over BR/EDR uses the accessory's controller: disconnect first")
        await self._take_back()

    async def _take_back(self) -> None:
        borrower, self._borrower = self._borrower, None
        if borrower:
            await whole(borrower.give_back())

    # Events

    async def _watch(self, accessory: aio.Accessory) -> None:
        """Follows the events of a run to its end."""
        journal, position = accessory._core.program.journal, 0
        while event := await journal.wait_async(
            lambda: journal.events[position] if position < len(journal.events) else None, math.inf
        ):
            position += 1
            self._follow(accessory, event)
        for link in self.accessory_links:
            if link.accessory is accessory:
                self.drop(link)
        if self._accessory is accessory:
            self._accessory = self._settings = None
        self.bell.ring()

    def _follow(self, accessory: aio.Accessory, event: Event) -> None:
        if event.connection is None:
            return
        if event.kind == "connected":
            link = AccessoryLink(
                self.next_number(),
                octets_of(event["peer"]),
                event.get("interval_ms", 0.0),
                event.get("latency", 0),
                event.get("timeout_ms", 0.0),
                accessory=accessory,
                handle=event.connection,
                is_classic=event["transport"] == "br-edr",
            )
            self.links[link.number] = link
        else:
            found = [link for link in self.accessory_links if link.handle == event.connection]
            if not found:
                return
            link = found[0]
            link.follow(event)
            if not link.is_open:
                self.drop(link)
        for listener in list(self.listeners):
            listener(link, event)
        self.bell.ring()

    # Links

    @property
    def accessory_links(self) -> list[AccessoryLink]:
        """The links that centrals have made with the accessory."""
        return [link for link in self.links.values() if isinstance(link, AccessoryLink)]

    def next_number(self) -> int:
        """Returns the number for the next link."""
        self._count += 1
        return self._count

    def drop(self, link: Link) -> None:
        """Handles the end of a link."""
        link.end()
        self.links.pop(link.number, None)
        self.bell.ring()

    # For the services

    def link(self, cookie: bytes) -> Link | None:
        """Returns the open link of a cookie, or None."""
        return self.links.get(int.from_bytes(cookie, "big")) if len(cookie) == 4 else None

    def known_link(self, cookie: bytes) -> Link:
        """Returns the open link of a cookie. Raises `Invalid` if there is none."""
        if link := self.link(cookie):
            return link
        raise Invalid("The connection specified is invalid.")

    async def reset(self, *, bonds: bool) -> None:
        """Ends all calls, advertisements and links, and removes the bonds if `bonds` is true."""
        self.bell.reset()
        try:
            async with asyncio.timeout(CALLS_END_WITHIN):
                # One of the calls is this reset.
                await self.bell.until(lambda: True if self.bell.calls <= 1 else None)
        except TimeoutError as error:
            raise Aborted("calls do not end: reset again") from error
        async with self._turn:
            await self._take_back()
        if any(link.is_classic for link in self.accessory_links):
            # A peer that resets its controller says nothing. Over BR/EDR the accessory would notice after 20 s.
            async with self._turn:
                await whole(self._end_run())
        accessory = await self.running()
        await accessory.reset(bonds=bonds)
        if self.security:
            await accessory.set_security(self.security)
        for call in self.on_reset:
            await call(bonds)


async def quietly(accessory: aio.Accessory, *steps: Callable[[aio.Accessory], Any]) -> None:
    """Carries out steps that clean up an accessory, and ignores the errors of one that has ended."""
    for step in steps:
        try:
            await step(accessory)
        except UnderstudyError:
            pass
