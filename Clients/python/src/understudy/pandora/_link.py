"""A connection of the reference device, with what Pandora asks about it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from understudy import aio
from understudy._event import Event
from understudy.errors import Conflict, NotFound


@dataclass
class Link(ABC):
    """A connection. Its number is never given again, so that the cookie of one that has ended names no other."""

    number: int
    peer: bytes
    """The address that it has connected with, most significant octet first."""
    interval_ms: float
    latency: int
    timeout_ms: float
    is_open: bool = True
    protection: str = "none"
    """`none`, `encrypted`, `authenticated` or `secure-connections`."""
    is_pairing: bool = False
    paired: int = 0
    """How many pairings have succeeded."""
    failed: int = 0
    updates: int = 0
    """How often its parameters have changed."""
    was_waited_for: bool = False
    """Whether `WaitConnection` has given it to somebody."""

    @abstractmethod
    async def disconnect(self) -> None:
        """Ends it, if it has not ended by itself; the link says so when it has."""

    @abstractmethod
    async def pair(self) -> None:
        """Begins a pairing, whose outcome the link says."""

    def end(self) -> None:
        """It has ended."""
        self.is_open = False
        self.protection = "none"


# Reason codes, Core 5.4 Vol 1 Part F 1.3.
REMOTE_USER_TERMINATED = 0x13


@dataclass
class AccessoryLink(Link):
    """A connection that a central has made with the accessory."""

    accessory: aio.Accessory = field(kw_only=True)
    handle: int = field(kw_only=True)
    refused_channels: int = 0
    """How many channels that this side asked for were refused."""

    @property
    def connection(self) -> aio.Connection:
        """What can be done with it."""
        return self.accessory.connection(self.handle)

    async def disconnect(self) -> None:
        try:
            await self.connection.disconnect(REMOTE_USER_TERMINATED)
        except (NotFound, Conflict):
            if self.is_open:
                raise

    async def pair(self) -> None:
        try:
            await self.connection.pair()
        except (NotFound, Conflict):
            if self.is_open:
                raise

    def follow(self, event: Event) -> None:
        """Takes in what has happened on it."""
        match event.kind:
            case "disconnected":
                self.end()
            case "security":
                self.protection = event["protection"]
            case "pairing":
                self.is_pairing = True
            case "paired":
                self.is_pairing = False
                self.paired += 1
            case "pairing-failed":
                self.is_pairing = False
                self.failed += 1
            case "parameters":
                self.interval_ms, self.latency = event["interval_ms"], event["latency"]
                self.timeout_ms = event["timeout_ms"]
                self.updates += 1


def octets_of(address: str) -> bytes:
    """The octets of a written address, in the same order."""
    return bytes.fromhex(address.replace(":", ""))


def text_of(address: bytes) -> str:
    """The address as profiles and bonds write it."""
    return address.hex(":").upper()
