"""Bluetooth adapters of this machine: a substitute for the kernel's HCI user channel, with one of Bumble's controllers.

A library that is preloaded into the program turns its Bluetooth socket into a Unix socket that preserves packet boundaries. Like the
kernel, the substitute accepts only writes of one whole packet.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import tempfile
from pathlib import Path

from support.controllers import BumblePath

SOURCE = Path(__file__).with_name("user_channel.c")
# The position and size of the length in a host's packets: command, ACL data, ISO data.
LENGTHS = {1: (3, 1), 2: (3, 2), 5: (3, 2)}


def mistake(packet: bytes) -> str | None:
    """Returns why the kernel would refuse the written octets; None if it would accept them."""
    if len(packet) < 4 or packet[0] not in LENGTHS:
        return f"no packet of a host: {packet.hex()}"
    start, size = LENGTHS[packet[0]]
    length = int.from_bytes(packet[start : start + size], "little")
    return None if len(packet) == start + size + length else f"not one whole packet: {packet.hex()}"


class UserChannel(BumblePath):
    """Bumble's controller behind hci0."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="understudy-hci-")
        self.library = Path(self.folder.name) / "user_channel.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.library, SOURCE, "-ldl"], check=True)
        self.mistakes: list[str] = []
        self.packets = 0
        self.line: socket.socket | None = None
        self.serving: asyncio.Task[None] | None = None
        self.plug()

    @property
    def socket_path(self) -> str:
        return f"{self.folder.name}/hci0"

    @property
    def environment(self) -> dict[str, str]:
        return self.refusing(None)

    def refusing(self, code: int | None) -> dict[str, str]:
        """Returns the environment of a program whose adapter cannot be opened for that reason."""
        place = self.socket_path if code is None else str(code)
        return {"LD_PRELOAD": str(self.library), "UNDERSTUDY_USER_CHANNEL": place}

    async def specification(self) -> str:
        return "hci:0"

    def plug(self) -> None:
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(self.socket_path)
        self.listener.listen()
        self.listener.setblocking(False)
        self.serving = asyncio.get_running_loop().create_task(self._serve())

    def unplug(self) -> None:
        if self.serving:
            self.serving.cancel()
        if self.line:
            self.line.close()
        self.listener.close()
        os.unlink(self.socket_path)
        self.line = None

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self.line, _ = await loop.sock_accept(self.listener)
            self.controller.set_packet_sink(self)
            while packet := await loop.sock_recv(self.line, 65536):
                self.packets += 1
                if reason := mistake(packet):
                    self.mistakes.append(reason)
                self.controller.on_packet(packet)

    def on_packet(self, packet: bytes) -> None:
        """Passes a packet of the controller to the program."""
        if self.line:
            self.line.send(packet)

    async def vanish(self) -> None:
        self.unplug()

    async def close(self) -> None:
        if self.line or self.listener.fileno() >= 0:
            self.unplug()
        self.folder.cleanup()
