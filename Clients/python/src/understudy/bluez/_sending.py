"""Sends to a message bus that reads slowly."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from typing import Any

from dbus_fast.aio import MessageBus


class PatientSocket:
    """A socket that reports 0 octets sent, instead of an error, while its buffer is full.

    dbus-fast 5.2 treats that error (EAGAIN) as the end of the connection, but waits for the socket after an incomplete send.
    """

    def __init__(self, plain: socket.socket) -> None:
        self._plain = plain
        self._held: list[Any] = []
        """The descriptors of a message before its first octet is sent."""

    def send(self, octets: memoryview) -> int:
        """Returns the number of octets sent."""
        return self.sendmsg([octets], self._held)

    def sendmsg(self, buffers: Iterable[Any], ancillary: Iterable[Any]) -> int:
        """Returns the number of octets sent. If that is 0, the ancillary data goes with the next octets."""
        self._held = list(ancillary)
        try:
            sent = self._plain.sendmsg(buffers, self._held)
        except BlockingIOError:
            return 0
        self._held = []
        return sent


async def connect(address: str) -> MessageBus:
    """Connects to a bus. Messages that the bus does not take yet wait in memory. Raises `OSError`."""
    bus = await MessageBus(bus_address=address, negotiate_unix_fd=True).connect()
    assert bus._writer and bus._sock
    # The writer calls only `send` and `sendmsg`.
    bus._writer.sock = PatientSocket(bus._sock)  # type: ignore[assignment]
    return bus
