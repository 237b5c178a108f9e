"""Boards that are plugged in and out: a umockdev test bed, whose devices the program treats as those of the machine.

Each serial port is a pseudo-terminal with one of Bumble's controllers, or without one.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tty
from dataclasses import dataclass, field
from pathlib import Path

from bumble.controller import Controller
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink

from support import testbed
from support.controllers import ServedController

PRELOAD = "libumockdev-preload.so.0"
NOBODY = 65534


def is_installed() -> bool:
    """Returns whether umockdev is installed."""
    try:
        ctypes.CDLL(testbed.LIBRARY)
    except OSError:
        return False
    return True


@dataclass(frozen=True)
class Kind:
    """The USB description of a device."""

    vendor: str
    product: str
    manufacturer: str
    name: str
    serial: str | None = None
    interfaces: tuple[int, ...] = (0,)


def jlink(serial: str, interfaces: tuple[int, ...] = (0,)) -> Kind:
    return Kind("1366", "1051", "SEGGER", "J-Link", serial, interfaces)


DONGLE = Kind("2fe3", "0004", "ZEPHYR", "Understudy HCI", "F00D")
BOOTLOADER = Kind("1915", "521f", "Nordic Semiconductor", "Open DFU Bootloader", "B007")


@dataclass
class Port:
    """One serial port: its names, and the sides of its terminal."""

    name: str
    stable: str
    path: str
    master: int
    slave: int
    served: ServedController | None = None
    pipes: list[asyncio.BaseTransport] = field(default_factory=list)

    async def serve(self, controller: Controller) -> None:
        """Connects a controller to the port."""
        loop = asyncio.get_running_loop()
        self.served = ServedController(controller)
        reading, _ = await loop.connect_read_pipe(lambda: self.served.source, open(self.master, "rb", closefd=False))
        writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, open(self.master, "wb", closefd=False))
        self.served.transport = writing
        self.pipes = [reading, writing]

    def close(self) -> None:
        if self.served:
            self.served.transport = None
        for pipe in self.pipes:
            pipe.abort() if isinstance(pipe, asyncio.WriteTransport) else pipe.close()
        os.close(self.slave)
        os.close(self.master)


@dataclass
class Board:
    """A board that is plugged in."""

    path: str
    ports: list[Port]


class Bench:
    """A machine with devices that the test plugs in."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, testbed.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "LD_PRELOAD": PRELOAD},
        )
        self.root = Path(self._answer())
        # For programs of another user.
        for place in (self.root, self.root / "ioctl", self.root / "ioctl" / "_default"):
            place.chmod(0o777)
        # The folder of serial ports exists even without any.
        (self.root / "sys/class/tty").mkdir(parents=True)
        self.link = LocalLink()
        self.boards: list[Board] = []
        self.sockets = 0

    @property
    def environment(self) -> dict[str, str]:
        return {"UMOCKDEV_DIR": str(self.root), "LD_PRELOAD": PRELOAD}

    async def plug(self, kind: Kind, *names: str, answering: tuple[int, ...] = ()) -> Board:
        """Plugs in a device, whose serial ports get these names. The ports with the given numbers have a controller."""
        self.sockets += 1
        path = f"/devices/pci0000:00/usb1/1-{self.sockets}"
        self._add(
            path,
            "bus/usb",
            {"DEVTYPE": "usb_device"},
            idVendor=kind.vendor,
            idProduct=kind.product,
            manufacturer=kind.manufacturer,
            product=kind.name,
            serial=kind.serial,
        )
        board = Board(path, [])
        self.boards.append(board)
        for number, name in enumerate(names):
            interface = f"{kind.interfaces[number]:02x}"
            below = f"{path}/1-{self.sockets}:1.{kind.interfaces[number]}"
            self._add(below, "bus/usb", {"DEVTYPE": "usb_interface"}, bInterfaceNumber=interface)
            stable = f"serial/by-id/usb-{kind.manufacturer}_{kind.name}_{kind.serial}-if{interface}".replace(" ", "_")
            port = Port(name, stable, f"{below}/tty/{name}", *os.openpty())
            tty.setraw(port.slave)
            self._link(f"dev/{name}", os.ttyname(port.slave))
            self._link(f"dev/{stable}", str(self.root / "dev" / name))
            # The numbers of the device, where umockdev reads them.
            device = f"166:{self.sockets * 8 + number}"
            self._link(f"dev/.node/{name}", device)
            self._add(port.path, "class/tty", {"DEVNAME": name, "DEVLINKS": f"/dev/{stable}"}, dev=device)
            self._link(f"sys/class/tty/{name}", f"../..{port.path}")
            if number in answering:
                await port.serve(Controller(f"board {self.sockets}", link=self.link))
            board.ports.append(port)
            self._tell(port, "add")
        return board

    def add_adapter(self, board: Board, name: str) -> None:
        """Adds a Bluetooth adapter to the device, which is removed with it."""
        path = f"{board.path}/bluetooth/{name}"
        self._add(path, "class/bluetooth", {"DEVTYPE": "host"})
        self._link(f"sys/class/bluetooth/{name}", f"../..{path}")

    def unplug(self, board: Board) -> None:
        """Unplugs a device."""
        self.boards.remove(board)
        for port in board.ports:
            self._tell(port, "remove")
            for link in (f"dev/{port.name}", f"dev/{port.stable}", f"dev/.node/{port.name}", f"sys/class/tty/{port.name}"):
                (self.root / link).unlink()
            port.close()
            if port.served:
                self.link.remove_controller(port.served.controller)
        shutil.rmtree(self.root / f"sys{board.path}")

    async def host(self) -> Host:
        """Returns a host on its own controller, on the air of the boards."""
        controller = Controller("central", link=self.link)
        return Host(controller, AsyncPipeSink(controller))

    def close(self) -> None:
        for board in list(self.boards):
            self.unplug(board)
        self.process.communicate(timeout=10)

    def _add(self, path: str, subsystem: str, properties: dict[str, str], **attributes: str | None) -> None:
        """Creates a device in the folder that the program uses as /sys."""
        folder = self.root / f"sys{path}"
        folder.mkdir(parents=True)
        (folder / "subsystem").symlink_to(f"../{subsystem}")
        (folder / "uevent").write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        for name, value in attributes.items():
            if value is not None:
                (folder / name).write_text(f"{value}\n")

    def _link(self, path: str, target: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).symlink_to(target)

    def _tell(self, port: Port, action: str) -> None:
        """Makes udev report a port that was added, or is about to be removed."""
        assert self.process.stdin
        print(json.dumps([f"/sys{port.path}", action]), file=self.process.stdin, flush=True)
        assert self._answer() == "done"

    def _answer(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().rstrip()
