"""A connection of the reference device, and its state for Pandora's calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from understudy import aio
from understudy._event import Event
from understudy.errors import Conflict, NotFound


@dataclass
class Link(ABC):
    """A connection. Its number is never reused, so the cookie of an ended connection never names another one."""

    number: int
    peer: bytes
    """The peer's address in this connection, most significant octet first."""
    interval_ms: float
    latency: int
    timeout_ms: float
    is_open: bool = True
    protection: str = "none"
    """`none`, `encrypted`, `authenticated` or `secure-connections`."""
    is_pairing: bool = False
    paired: int = 0
    """The number of successful pairings."""
    failed: int = 0
    updates: int = 0
    """How often its parameters have changed."""
    is_classic: bool = False
    """Whether it is over BR/EDR."""
    was_waited_for: bool = False
    """Whether `WaitConnection` has returned it."""

    @abstractmethod
    async def disconnect(self) -> None:
        """Requests the end of an open connection; `is_open` changes when it has ended."""

    @abstractmethod
    async def pair(self) -> None:
        """Starts pairing; `paired` or `failed` counts the outcome."""

    def end(self) -> None:
        """Handles its end."""
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
    """How many channels the central has refused to open."""

    @property
    def connection(self) -> aio.Connection:
        """The connection in the Python client."""
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
        """Updates the state from an event."""
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
    """Returns the octets of an address in text, in the same order."""
    return bytes.fromhex(address.replace(":", ""))


def text_of(address: bytes) -> str:
    """Returns an address in the form of profiles and bonds."""
    return address.hex(":").upper()
