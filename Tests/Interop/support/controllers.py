"""The controllers of the program, and ways for a central to get onto the same air.

Three paths lead to the same tests:

- `virtual`: the program's own virtual radio. The central joins it over the H4 port that the program reports.
- `bumble-tcp`: Bumble's virtual controllers in this process; the program's is behind a TCP server (H4).
- `pty-serial`: the same Bumble controller behind a pseudo-terminal, which the program opens as a serial port.

Limits of Bumble's controller that shape the tests (0.0.236, found by sending every opcode and reading its source):

- It has the feature and the commands of extended advertising, but they are not in its supported commands. So a host
  treats it as a legacy controller, unless a test adds them (`offer_extended_advertising`).
- It never sends a scan response over its air; the scanner gets the advertising data twice. So nothing that a test
  needs is in scan response data.
- HCI Reset resets nothing, so every test has its own controllers.
- Commands without a class, and LE Set PHY, get no answer at all; a host must not wait forever.
- Its links have one identity: data is routed by the address of LE Set Random Address, not by that of the set.
- Data for the host comes in one ACL packet of any length, although the reported buffer size is 27 octets.
- The peripheral's Connection Complete reports 12.5 ms and a supervision timeout of 100 ms, whatever was requested.
"""

from __future__ import annotations

import asyncio
import os
import random
import socket
import tty
from abc import ABC, abstractmethod
from contextlib import suppress

from bumble import hci
from bumble.controller import Controller
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink, StreamPacketSource, Transport
from bumble.transport.tcp_client import open_tcp_client_transport
from understudy import Event


LOOPBACK = "127.0.0.1"

# The commands for extended advertising that Bumble's controller has without reporting them.
EXTENDED_ADVERTISING_COMMANDS = {
    hci.HCI_LE_SET_ADVERTISING_SET_RANDOM_ADDRESS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_DATA_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_RESPONSE_DATA_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_ENABLE_COMMAND,
    hci.HCI_LE_READ_MAXIMUM_ADVERTISING_DATA_LENGTH_COMMAND,
    hci.HCI_LE_READ_NUMBER_OF_SUPPORTED_ADVERTISING_SETS_COMMAND,
    hci.HCI_LE_REMOVE_ADVERTISING_SET_COMMAND,
    hci.HCI_LE_CLEAR_ADVERTISING_SETS_COMMAND,
}


def free_port() -> int:
    """Returns an unused TCP port of the loopback interface, which the system does not assign to programs that request any port."""
    for port in random.SystemRandom().sample(range(20_000, 32_768), 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind((LOOPBACK, port))
            return port
    raise OSError("no port is free")


class ControllerPath(ABC):
    """The controller for the program, and hosts for the centrals on the same air."""

    @abstractmethod
    async def specification(self) -> str:
        """Returns the value of --controller."""

    def offer_extended_advertising(self) -> None:
        """Makes the program's controller report extended advertising; call it before the program starts."""

    def started(self, ready: Event) -> None:
        """Called when the program is ready."""

    @abstractmethod
    async def host(self) -> Host:
        """Returns a host with its own controller on the air."""

    @abstractmethod
    async def vanish(self) -> None:
        """Removes the program's controller while the program runs."""

    async def close(self) -> None:
        """Releases everything."""


class VirtualPath(ControllerPath):
    """The virtual radio inside the program."""

    def __init__(self) -> None:
        self.ports: list[int] = []
        self.transports: list[Transport] = []

    async def specification(self) -> str:
        return "virtual"

    def started(self, ready: Event) -> None:
        self.ports = ready["ports"]
        assert self.ports, "a virtual controller reports the port where others join"

    async def host(self) -> Host:
        port = self.ports[len(self.transports) % len(self.ports)]
        transport = await open_tcp_client_transport(f"{LOOPBACK}:{port}")
        self.transports.append(transport)
        return Host(transport.source, transport.sink)

    async def vanish(self) -> None:
        raise NotImplementedError("the virtual controller lives as long as the program")

    async def close(self) -> None:
        for transport in self.transports:
            await transport.close()


class ServedController(asyncio.Protocol):
    """One of Bumble's controllers, served to the client of a stream."""

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self.source = StreamPacketSource()
        self.source.set_packet_sink(controller)
        controller.set_packet_sink(self)
        self.transport: asyncio.WriteTransport | None = None
        self.connected = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self.transport = transport
        self.connected.set()

    def connection_lost(self, error: Exception | None) -> None:
        self.transport = None

    def data_received(self, data: bytes) -> None:
        self.source.data_received(data)

    def on_packet(self, packet: bytes) -> None:
        if self.transport:
            self.transport.write(packet)

    def hang_up(self) -> None:
        if self.transport:
            self.transport.abort()


class BumblePath(ControllerPath):
    """Bumble's virtual controllers, joined by its link in this process."""

    def __init__(self) -> None:
        self.link = LocalLink()
        self.controller = Controller("peripheral", link=self.link)
        self.served = ServedController(self.controller)
        self.centrals = 0

    def offer_extended_advertising(self) -> None:
        self.controller.supported_commands = Controller.supported_commands | EXTENDED_ADVERTISING_COMMANDS

    async def host(self) -> Host:
        self.centrals += 1
        controller = Controller(f"central {self.centrals}", link=self.link)
        return Host(controller, AsyncPipeSink(controller))

    async def vanish(self) -> None:
        self.served.hang_up()


class BumbleTCPPath(BumblePath):
    """Bumble's controller behind a TCP server."""

    async def specification(self) -> str:
        self.server = await asyncio.get_running_loop().create_server(lambda: self.served, LOOPBACK, 0)
        return f"tcp-client:{LOOPBACK}:{self.server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        self.served.hang_up()
        self.server.close()


class PtyPath(BumblePath):
    """Bumble's controller behind a pseudo-terminal that the program opens as a serial port."""

    async def specification(self) -> str:
        self.master, self.slave = os.openpty()
        tty.setraw(self.master)
        tty.setraw(self.slave)
        loop = asyncio.get_running_loop()
        # This side also keeps the slave open: without an open slave, the master reads EIO until the program opens it.
        self.reading, _ = await loop.connect_read_pipe(
            lambda: self.served.source, open(self.master, "rb", closefd=False)
        )
        self.writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, open(self.master, "wb", closefd=False))
        self.served.transport = self.writing
        return f"serial:{os.ttyname(self.slave)}"

    async def vanish(self) -> None:
        await self.close()

    async def close(self) -> None:
        if self.served.transport is None:
            return
        self.served.transport = None
        self.reading.close()
        self.writing.abort()
        os.close(self.slave)
        os.close(self.master)


PATHS: dict[str, type[ControllerPath]] = {
    "virtual": VirtualPath,
    "bumble-tcp": BumbleTCPPath,
    "pty-serial": PtyPath,
}


def address_of(ready: Event) -> hci.Address:
    """Returns the program's advertising address, as it reports it."""
    kind = hci.Address.RANDOM_DEVICE_ADDRESS if ready["address_type"] == "random" else hci.Address.PUBLIC_DEVICE_ADDRESS
    return hci.Address(ready["address"], kind)
