"""A connection of the reference device, with what Pandora asks about it."""

from __future__ import annotations

from dataclasses import dataclass

from understudy import aio
from understudy._event import Event


@dataclass
class Link:
    """A connection. Its number is never given again, so that the cookie of one that has ended names no other."""

    number: int
    accessory: aio.Accessory
    handle: int
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
    refused_channels: int = 0
    """How many channels that this side asked for were refused."""
    was_waited_for: bool = False
    """Whether `WaitConnection` has given it to somebody."""

    @property
    def connection(self) -> aio.Connection:
        """What can be done with it."""
        return self.accessory.connection(self.handle)

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

    def end(self) -> None:
        """It has ended."""
        self.is_open = False
        self.protection = "none"


def octets_of(address: str) -> bytes:
    """The octets of a written address, in the same order."""
    return bytes.fromhex(address.replace(":", ""))


def text_of(address: bytes) -> str:
    """The address as profiles and bonds write it."""
    return address.hex(":").upper()
